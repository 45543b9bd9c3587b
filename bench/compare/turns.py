"""Two programs on one machine: how they are started, and how they take turns."""

import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD", "build")
OPENMP = "/usr/lib/x86_64-linux-gnu/openblas-openmp"
TUNED = {
    "MALLOC_TOP_PAD_": str(256 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(4 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}
PINS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def resident(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


def forget_peak():
    """From now on VmHWM counts afresh."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def timed(run, seconds=0.0, least=3):
    """Median milliseconds of a call, after a first one; short calls are timed several at once."""
    begin = time.perf_counter()
    run()
    at_once = max(1, min(1000, int(2e-4 / max(time.perf_counter() - begin, 1e-7))))
    times, end = [], time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        begin = time.perf_counter()
        for _ in range(at_once):
            run()
        times.append((time.perf_counter() - begin) * 1e3 / at_once)
    return statistics.median(times)


def environment(tuned, pinned):
    env = dict(os.environ)
    if not pinned:
        for name in PINS:
            env.pop(name, None)
    if tuned:
        env.update(TUNED)
        if os.path.isdir(OPENMP):
            env["LD_LIBRARY_PATH"] = OPENMP
    return env


def torch_command(kind, *arguments):
    return ["/usr/bin/python3", os.path.join(HERE, "peers.py"), "--serve", kind, *map(str, arguments)]


class Server:
    """A process that says hello, then answers each line with a line, both of JSON."""

    def __init__(self, command, env):
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.hello = self.answer()
        self.last = {}

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"peers.py: {' '.join(self.process.args)} ended with {self.process.wait()}")
        return json.loads(line)

    def ask(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        self.last = self.answer()
        return self.last

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def take_turns(sides, rounds, seconds):
    """{side: answers by round}: each server, asked for a number of passes, runs about `seconds` a round."""
    count, answers = {}, {side: [] for side in sides}
    for side, server in sides.items():
        server.ask(1)
        count[side] = max(1, min(2000, int(seconds * 1e3 / server.ask(2)["ms"])))
    for _ in range(rounds):
        for side, server in sides.items():
            time.sleep(0.02)  # lets the other process's threads go to sleep
            answers[side].append(server.ask(count[side]))
    return answers


def faster(times):
    """Of {number of threads: milliseconds by round} the number with the lower median."""
    return min(times, key=lambda threads: statistics.median(times[threads]))


def ratios(theirs, mine):
    """How many times as long they take, by round: median, least, most."""
    all_ratios = [b / a for a, b in zip(mine, theirs)]
    return statistics.median(all_ratios), min(all_ratios), max(all_ratios)
