"""Training steps and whole models: bench/step.cpp on heed's side, compare/torch_models.py on the other."""

import os
import statistics
import subprocess
import sys
import tempfile
import time

from compare.turns import BUILD, Server, environment, faster, take_turns, torch_command

STEPS = [f"{size}/{dropout}" for size in ("tiny", "small", "base", "large") for dropout in ("0", "0.1")]
# What a pass goes over, for rates.
MODELS = {"gpt/5000": (512, "tokens"), "gpt/50257": (512, "tokens"), "bilstm/1": (32, "sentences"),
          "bilstm/32": (32, "sentences"), "tag/small/1": (24, "words"), "tag/small/32": (768, "words"),
          "tag/base/1": (24, "words"), "tag/base/32": (768, "words")}


def heed(name, dropout, threads, pinned):
    return Server([f"{BUILD}/bench/step", name, dropout, str(threads), "serve"], environment(False, pinned))


def torch(path, name, dropout, threads, choice, tuned, pinned):
    return Server(torch_command("models", path, name, dropout, threads, choice), environment(tuned, pinned))


def fastest_choice(path, name, dropout, pinned):
    """What is fastest for PyTorch, tuned and on its better number of threads."""
    times = {}
    for threads in (1, 2):
        server = torch(path, name, dropout, threads, "choose", True, pinned)
        for choice, ms in server.hello.items():
            times[choice] = min(ms, times.get(choice, ms))
        server.close()
    return min(times, key=times.get)


def check_same(name, mine, theirs):
    """Both must compute the same thing."""
    if abs(mine["loss"] - theirs["loss"]) > 1e-4 or mine["parameters"] != theirs["parameters"]:
        sys.exit(f"peers.py: {name}: heed {mine}, PyTorch {theirs}")


def side(servers, answers):
    """What is kept of one side, {threads: server} and its answers: times of its better number of threads, memory,
    processor time."""
    times = {threads: [a["ms"] for a in answers[threads]] for threads in servers}
    threads = faster(times)
    last, idle = servers[threads].last, servers[threads].hello["rss_idle"]
    kept = {"threads": threads, "ms": times[threads], "memory": last["rss_peak"] - idle, "whole": last["rss_peak"],
            "cpu": statistics.median(a["cpu_ms"] for a in answers[1])}
    return kept | {key: last[key] for key in ("live_peak", "allocations", "multiply_adds") if key in last}


def compare(name, dropout, pinned, rounds, seconds, installed):
    """The same weights and batches on all sides, which take turns."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "task.safetensors")
        server = heed(name, dropout, 1, pinned)
        same = server.ask(f"save {path}")
        server.close()
        choice = fastest_choice(path, name, dropout, pinned)
        servers = {}
        for threads in (1, 2):
            servers["heed", threads] = heed(name, dropout, threads, pinned)
            for kind in ("tuned", "installed") if installed else ("tuned",):
                servers[kind, threads] = torch(path, name, dropout, threads, choice, kind == "tuned", pinned)
                check_same(name, same, servers[kind, threads].hello)
        answers = take_turns(servers, rounds, seconds)
        result = {"engine": servers["heed", 1].hello["engine"], "choice": choice, "parameters": same["parameters"],
                  "losses": [same["loss"], servers["tuned", 1].hello["loss"]],
                  "sides": {kind: side({n: servers[kind, n] for n in (1, 2)}, {n: answers[kind, n] for n in (1, 2)})
                            for kind in dict.fromkeys(kind for kind, _ in servers)}}
        for server in servers.values():
            server.close()
    return result


def compare_start(pinned, rounds, installed):
    """From the start of the process until the first step of the tiny size is done."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "task.safetensors")
        server = heed("tiny", "0", 1, pinned)
        server.ask(f"save {path}")
        engine = server.hello["engine"]
        server.close()
        commands = {"heed": ([f"{BUILD}/bench/step", "tiny", "0", "2", "serve"], environment(False, pinned))}
        for kind in ("tuned", "installed") if installed else ("tuned",):
            commands[kind] = (torch_command("models", path, "tiny", "0", 2, "written"), environment(kind == "tuned", pinned))
        times = {kind: [] for kind in commands}
        for _ in range(rounds):
            for kind, (command, env) in commands.items():
                begin = time.perf_counter()
                subprocess.run(command, env=env, input="1\n", text=True, stdout=subprocess.DEVNULL, check=True)
                times[kind].append((time.perf_counter() - begin) * 1e3)
    return {"engine": engine, "sides": {kind: {"threads": 2, "ms": each} for kind, each in times.items()}}
