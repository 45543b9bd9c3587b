#!/usr/bin/python3
"""Compares heed with PyTorch: the same training step and the same operations, taking turns on one machine.

  peers.py [--sizes tiny,small] [--dropout 0,0.1] [--rounds 9] [--seconds 1] [--blas both] [--no-ops] [--out FILE]

Every side is its own process: heed (bench/step.cpp) with 1 and 2 threads, PyTorch with 1 and 2 threads, tuned and as
installed. In each round every process runs some steps, one process after the other. A ratio is PyTorch's time divided
by heed's in the same round, each with the number of threads that suits it best.

Tuned means: the OpenMP flavour of OpenBLAS, a malloc that keeps its memory and asks for huge pages, the faster of
nn.MultiheadAttention and attention written out, and the faster of Adam's two loops. As installed means the
distribution's defaults with the same model.
"""

import argparse
import datetime
import json
import os
import platform
import statistics
import struct
import subprocess
import sys
import tempfile
import time

SIZES = {  # d, heads, layers, hidden, batch, length; as in bench/step.hpp
    "tiny": (64, 4, 2, 128, 32, 24),
    "small": (128, 4, 2, 512, 32, 32),
    "base": (256, 8, 4, 1024, 16, 128),
    "large": (512, 8, 6, 2048, 4, 512),
}
VOCABULARY, TAGS = 5000, 17
OPENMP = "/usr/lib/x86_64-linux-gnu/openblas-openmp"
TUNED = {
    "MALLOC_TOP_PAD_": str(256 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(4 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}
BUILD = os.environ.get("BUILD", "build")
HERE = os.path.dirname(os.path.abspath(__file__))


# ---- the PyTorch side, run in its own process ---------------------------------------------------------------------------


def resident(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


def build_model(size, dropout, attention):
    import torch
    import torch.nn.functional as F
    from torch import nn

    d, heads, layers, hidden, _, length = SIZES[size]

    class Written(nn.Module):
        """Attention with one product for q, k and v, and nothing but tensor operations."""

        def __init__(self):
            super().__init__()
            self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)

        def forward(self, x):
            b, n, _ = x.shape
            q, k, v = self.qkv(x).view(b, n, 3, heads, d // heads).permute(2, 0, 3, 1, 4)
            weights = F.softmax((q * (d // heads) ** -0.5) @ k.transpose(-2, -1), -1)
            if dropout:
                weights = F.dropout(weights, dropout, self.training)
            return self.out((weights @ v).transpose(1, 2).reshape(b, n, d))

    class Library(nn.Module):
        def __init__(self):
            super().__init__()
            self.mha = nn.MultiheadAttention(d, heads, dropout, batch_first=True)

        def forward(self, x):
            return self.mha(x, x, x, need_weights=False)[0]

    def drop():
        return nn.Dropout(dropout) if dropout else nn.Identity()

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
            self.attention = {"written": Written, "library": Library}[attention]()
            self.drop = drop()
            self.feedforward = nn.Sequential(nn.Linear(d, hidden), nn.GELU(), drop(), nn.Linear(hidden, d))

        def forward(self, x):
            x = x + self.drop(self.attention(self.norm1(x)))
            return x + self.drop(self.feedforward(self.norm2(x)))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.positions = nn.Embedding(VOCABULARY, d), nn.Parameter(torch.randn(length, d) * 0.02)
            self.blocks = nn.Sequential(*[Block() for _ in range(layers)])
            self.norm, self.scores = nn.LayerNorm(d), nn.Linear(d, TAGS)

        def forward(self, ids):
            return self.scores(self.norm(self.blocks(self.words(ids) + self.positions)))

    return Model()


def read_safetensors(path):
    import torch

    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    header.pop("__metadata__", None)
    return {
        name: torch.frombuffer(data, dtype=torch.float32, offset=entry["data_offsets"][0],
                               count=(entry["data_offsets"][1] - entry["data_offsets"][0]) // 4).view(entry["shape"])
        for name, entry in header.items()
    }


def load_weights(model, tensors):
    """Copies heed's weights; heed multiplies by (in, out), PyTorch by (out, in)."""
    import torch

    def linear(to, name):
        to.weight.copy_(tensors[name + ".w"].T)
        to.bias.copy_(tensors[name + ".b"])

    def norm(to, name):
        to.weight.copy_(tensors[name + ".gain"])
        to.bias.copy_(tensors[name + ".bias"])

    with torch.no_grad():
        model.words.weight.copy_(tensors["words.table"])
        model.positions.copy_(tensors["positions.table"])
        for i, block in enumerate(model.blocks):
            at = f"encoder.{i}."
            attention = getattr(block.attention, "mha", block.attention)
            if hasattr(block.attention, "mha"):
                weight, bias, out = attention.in_proj_weight, attention.in_proj_bias, attention.out_proj
            else:
                weight, bias, out = attention.qkv.weight, attention.qkv.bias, attention.out
            weight.copy_(torch.cat([tensors[at + f"attention.{n}.w"].T for n in "qkv"]))
            bias.copy_(torch.cat([tensors[at + f"attention.{n}.b"] for n in "qkv"]))
            linear(out, at + "attention.o")
            norm(block.norm1, at + "norm1")
            norm(block.norm2, at + "norm2")
            linear(block.feedforward[0], at + "feedforward.in")
            linear(block.feedforward[3], at + "feedforward.out")
        norm(model.norm, "encoder.norm")
        linear(model.scores, "scores")


def serve_step(size, dropout, threads, attention, foreach):
    """Commands: a number runs as many steps; "load PATH" checks against heed's weights."""
    import torch
    from torch import nn

    torch.set_num_threads(threads)
    idle = resident("VmRSS")
    batch, length = SIZES[size][4:]
    torch.manual_seed(1)
    model = build_model(size, dropout, attention)
    model.train()
    ids, targets = torch.randint(VOCABULARY, (batch, length)), torch.randint(TAGS, (batch * length,))
    criterion = nn.CrossEntropyLoss()
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, foreach=foreach)
    count = sum(p.numel() for p in model.parameters())
    print(json.dumps({"parameters": count, "rss_idle": idle}), flush=True)
    for line in sys.stdin:
        if line.startswith("load "):
            tensors = read_safetensors(line[5:].strip())
            load_weights(model, tensors)
            with torch.no_grad():
                model.eval()
                logits = model(tensors["ids"].long().view(batch, length))
                loss = criterion(logits.view(-1, TAGS), tensors["targets"].long())
            print(json.dumps({"loss": loss.item(), "parameters": count}), flush=True)
            continue
        times, cpu = [], time.process_time()
        for _ in range(int(line)):
            begin = time.perf_counter()
            adam.zero_grad(set_to_none=True)
            loss = criterion(model(ids).view(-1, TAGS), targets)
            loss.backward()
            adam.step()
            value = loss.item()
            times.append((time.perf_counter() - begin) * 1e3)
        print(json.dumps({"ms_min": min(times), "ms_median": statistics.median(times), "loss": value,
                          "cpu_ms": (time.process_time() - cpu) * 1e3 / len(times),
                          "rss_peak": resident("VmHWM")}), flush=True)


def operations():
    """The operations of bench/ops.cpp by the same names: a function that runs one forward and backward pass."""
    import torch
    import torch.nn.functional as F

    def fresh(*shape):
        return torch.randn(*shape).requires_grad_()

    def unary(f, *shapes):
        inputs = [fresh(*shape) for shape in shapes]
        with torch.no_grad():
            seed = torch.randn_like(f(*inputs))

        def run():
            for x in inputs:
                x.grad = None
            f(*inputs).backward(seed)

        return run

    def embedding(rows):
        ids, table, seed = torch.randint(rows, (4096,)), fresh(rows, 256), torch.randn(4096, 256)

        def run():
            table.grad = None
            F.embedding(ids, table).backward(seed)

        return run

    def adamw(tensors):
        parameters = [fresh(10_000_000 // tensors) for _ in range(tensors)]
        for p in parameters:
            p.grad = torch.randn_like(p)
        best = min((False, True), key=lambda each: timed(torch.optim.AdamW(parameters, foreach=each).step))
        return torch.optim.AdamW(parameters, foreach=best).step

    def cross_entropy():
        targets = torch.randint(5000, (4096,))
        return unary(lambda x: F.cross_entropy(x, targets), (4096, 5000))

    def attention(batch, n):
        def run(x, qkv, out):
            q, k, v = (x @ qkv).view(batch, n, 3, 8, 32).permute(2, 0, 3, 1, 4)
            weights = F.softmax((q * 32**-0.5) @ k.transpose(-2, -1), -1)
            return (weights @ v).transpose(1, 2).reshape(batch, n, 256) @ out

        return unary(run, (batch, n, 256), (256, 768), (256, 256))

    yield "linear/4096x256x1024", lambda: unary(F.linear, (4096, 256), (1024, 256), (1024,))
    yield "layer_norm/4096x512", lambda: unary(lambda x, w, b: F.layer_norm(x, (512,), w, b), (4096, 512), (512,), (512,))
    yield "softmax/32768x128", lambda: unary(lambda x: F.softmax(x, -1), (32768, 128))
    yield "gelu_erf/4096x1024", lambda: unary(F.gelu, (4096, 1024))
    yield "gelu_tanh/4096x1024", lambda: unary(lambda x: F.gelu(x, approximate="tanh"), (4096, 1024))
    yield "dropout/4096x1024", lambda: unary(lambda x: F.dropout(x, 0.1), (4096, 1024))
    yield "cross_entropy/4096x5000", cross_entropy
    yield "embedding/5000x256", lambda: embedding(5000)
    yield "embedding/50000x256", lambda: embedding(50000)
    for tensors in (1, 100, 1000):
        yield f"adamw/10M/{tensors}", lambda tensors=tensors: adamw(tensors)
    for m, k, n in ((768, 64, 64), (1024, 128, 512), (2048, 256, 1024), (2048, 512, 2048)):
        yield f"matmul/{m}x{k}x{n}", lambda m=m, k=k, n=n: unary(torch.matmul, (m, k), (k, n))
    for b, m, k, n in ((128, 24, 16, 24), (128, 32, 32, 32), (128, 128, 32, 128), (32, 512, 64, 512)):
        yield f"matmul/{b}x{m}x{k}x{n}", lambda b=b, m=m, k=k, n=n: unary(torch.matmul, (b, m, k), (b, k, n))
    yield "attention/1x512", lambda: attention(1, 512)
    yield "attention/1x2048", lambda: attention(1, 2048)
    yield "attention/4x2048", lambda: attention(4, 2048)


def timed(run, seconds=0.0, least=3):
    """Median milliseconds of a call, after a first one."""
    run()
    times, end = [], time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def serve_operations(seconds):
    import torch

    for name, make in operations():
        print(json.dumps({"name": name}), flush=True)
        run = make()
        for line in sys.stdin:
            if line.strip() == "next":
                break
            torch.set_num_threads(int(line))
            print(json.dumps({"ms": timed(run, seconds)}), flush=True)
        del run


# ---- the comparison -----------------------------------------------------------------------------------------------------


def environment(tuned, pinned):
    env = dict(os.environ)
    if not pinned:
        env.pop("OPENBLAS_CORETYPE", None)
        env.pop("OPENBLAS_L2_SIZE", None)
    if tuned:
        env.update(TUNED)
        if os.path.isdir(OPENMP):
            env["LD_LIBRARY_PATH"] = OPENMP
    return env


class Server:
    """A process that answers each line with a line of JSON."""

    def __init__(self, command, env):
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.hello = self.answer()
        self.last = {}

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"peers.py: {self.process.args[:4]} ended with {self.process.wait()}")
        return json.loads(line)

    def ask(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        self.last = self.answer()
        return self.last

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def heed_step(size, dropout, threads, pinned):
    return Server([f"{BUILD}/bench/step", size, dropout, str(threads), "serve"], environment(False, pinned))


def torch_step(size, dropout, threads, choice, tuned, pinned):
    return Server(["/usr/bin/python3", __file__, "--serve", size, dropout, str(threads), *choice],
                  environment(tuned, pinned))


def check_same(size):
    """Both must compute the same thing: copies heed's weights and compares the loss."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "weights.safetensors")
        heed = heed_step(size, "0", 1, True)
        mine = heed.ask(f"save {path}")
        heed.close()
        for attention in ("library", "written"):
            torch = torch_step(size, "0", 1, (attention, "0"), False, True)
            theirs = torch.ask(f"load {path}")
            torch.close()
            if abs(mine["loss"] - theirs["loss"]) > 1e-4 or mine["parameters"] != theirs["parameters"]:
                sys.exit(f"peers.py: {size}, {attention}: heed {mine}, PyTorch {theirs}")
    return f"{mine['parameters']:,} parameters, loss {mine['loss']:.5f} and {theirs['loss']:.5f}"


def fastest_choice(size, dropout, pinned):
    """Which attention and which Adam is faster for PyTorch, on its better number of threads."""
    results = {}
    for attention in ("written", "library"):
        for foreach in ("0", "1"):
            for threads in (1, 2):
                server = torch_step(size, dropout, threads, (attention, foreach), True, pinned)
                server.ask(2)
                results[attention, foreach, threads] = server.ask(5 if size in ("tiny", "small") else 2)["ms_min"]
                server.close()
    return min(results, key=results.get)[:2]


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def compare_steps(size, dropout, pinned, rounds, seconds, installed):
    choice = fastest_choice(size, dropout, pinned)
    sides = {}
    for threads in (1, 2):
        sides["heed", threads] = heed_step(size, dropout, threads, pinned)
        sides["tuned", threads] = torch_step(size, dropout, threads, choice, True, pinned)
        if installed:
            sides["installed", threads] = torch_step(size, dropout, threads, choice, False, pinned)
    steps, times, cpu = {}, {key: [] for key in sides}, {key: [] for key in sides}
    for key, server in sides.items():
        server.ask(2)
        steps[key] = max(2, min(200, int(seconds * 1e3 / server.ask(2)["ms_median"])))
    for _ in range(rounds):
        for key, server in sides.items():
            time.sleep(0.02)  # lets the other process's threads go to sleep
            answer = server.ask(steps[key])
            times[key].append(answer["ms_median"])
            cpu[key].append(answer["cpu_ms"])
    result = {"size": size, "dropout": dropout, "choice": choice, "sides": {}, "ratio": {}, "memory_ratio": {}}
    for name in ("heed", "tuned", "installed"):
        keys = [key for key in sides if key[0] == name]
        if not keys:
            continue
        best = min(keys, key=lambda key: statistics.median(times[key]))
        server = sides[best]
        result["sides"][name] = {
            "threads": best[1], "ms": spread(times[best]), "rounds": times[best],
            "both": {key[1]: statistics.median(times[key]) for key in keys},
            "memory": server.last["rss_peak"] - server.hello["rss_idle"], "whole": server.last["rss_peak"],
            "cpu_one_thread": statistics.median(cpu[name, 1]), "live": server.last.get("live_peak"),
            "allocations": server.last.get("allocations_per_step"),
            "multiply_adds": server.last.get("multiply_adds"), "engine": server.hello.get("engine"),
        }
    mine = result["sides"]["heed"]
    for name in ("tuned", "installed"):
        if name in result["sides"]:
            theirs = result["sides"][name]
            result["ratio"][name] = spread([b / a for a, b in zip(mine["rounds"], theirs["rounds"])])
            result["memory_ratio"][name] = mine["memory"] / theirs["memory"]
    for server in sides.values():
        server.close()
    return result


def compare_start():
    """Seconds from the start of the process until the first step of the tiny size is done."""
    def run(command, env):
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            subprocess.run(command, env=env, input="1\n", text=True, stdout=subprocess.DEVNULL, check=True)
            times.append(time.perf_counter() - begin)
        return statistics.median(times)

    mine = run([f"{BUILD}/bench/step", "tiny", "0", "2", "serve"], environment(False, True))
    theirs = run(["/usr/bin/python3", __file__, "--serve", "tiny", "0", "2", "written", "0"], environment(True, True))
    return mine, theirs


def compare_operations(pinned, rounds, seconds):
    server = Server(["/usr/bin/python3", __file__, "--serve-ops", str(seconds)], environment(True, pinned))
    rows, at = [], server.hello
    while at:
        name, mine, theirs = at["name"], {1: [], 2: []}, {1: [], 2: []}
        for _ in range(rounds):
            report = json.loads(subprocess.run(
                [f"{BUILD}/bench/ops", f"--benchmark_filter=^{name}/", f"--benchmark_min_time={seconds}",
                 "--benchmark_format=json"], env=environment(False, pinned), capture_output=True, check=True).stdout)
            for entry in report["benchmarks"]:
                mine[int(entry["name"].split("threads:")[1].split("/")[0])].append(entry["real_time"])
            for threads in (1, 2):
                theirs[threads].append(server.ask(threads)["ms"])
        best = [min(side.values(), key=statistics.median) for side in (mine, theirs)]
        rows.append((name, statistics.median(best[0]), statistics.median(best[1]),
                     spread([b / a for a, b in zip(*best)])))
        print(f"  {name}: {rows[-1][3]['median']:.2f}", file=sys.stderr)
        server.process.stdin.write("next\n")
        server.process.stdin.flush()
        line = server.process.stdout.readline()
        at = json.loads(line) if line else None
    server.close()
    return rows


# ---- the report ---------------------------------------------------------------------------------------------------------


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def span(s):
    return f"**{s['median']:.2f}** ({s['min']:.2f}–{s['max']:.2f})"


def mebibytes(n):
    return f"{n / 2**20:.0f}"


def step_table(results):
    lines = ["| size, dropout | heed ms (threads) | PyTorch tuned | ratio | as installed | ratio | heed GF/s "
             "| CPU time, 1 thread: heed, tuned, ratio |", "|---|---|---|---|---|---|---|---|"]
    for r in results:
        mine, tuned, installed = (r["sides"].get(name) for name in ("heed", "tuned", "installed"))
        cells = [f"{r['size']}, {r['dropout']}"]
        cells += [f"{side['ms']['median']:.2f} ({side['threads']})" if side else "–" for side in (mine, tuned, installed)]
        cells.insert(3, span(r["ratio"]["tuned"]))
        cells.append(span(r["ratio"]["installed"]) if installed else "–")
        cells.append(f"{2 * mine['multiply_adds'] / mine['ms']['median'] / 1e6:.0f}")
        cells.append(f"{mine['cpu_one_thread']:.2f}, {tuned['cpu_one_thread']:.2f}, "
                     f"{tuned['cpu_one_thread'] / mine['cpu_one_thread']:.2f}")
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| peak memory, MiB | heed, above idle (live) | PyTorch tuned | as installed | heed of the smaller "
              "| whole process: heed, tuned, as installed |", "|---|---|---|---|---|---|"]
    for r in results:
        mine, tuned, installed = (r["sides"].get(name) for name in ("heed", "tuned", "installed"))
        smaller = min(side["memory"] for side in (tuned, installed) if side)
        cells = [f"{r['size']}, {r['dropout']}", f"{mebibytes(mine['memory'])} ({mebibytes(mine['live'])})"]
        cells += [mebibytes(side["memory"]) if side else "–" for side in (tuned, installed)]
        cells.append(f"{mine['memory'] / smaller:.2f} ×")
        cells.append(", ".join(mebibytes(side["whole"]) if side else "–" for side in (mine, tuned, installed)))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def report(sections, same, start, options):
    version = output("/usr/bin/python3", "-c", "import torch; print(torch.__version__)")
    compiler = output(os.environ.get("CXX", "g++"), "--version").splitlines()[0]
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    lines = [
        "# heed and PyTorch", "",
        f"{datetime.date.today()}, {cpu} with {os.cpu_count()} cores, {platform.system()} {platform.release()}, "
        f"{compiler}, PyTorch {version} (Debian), Python {platform.python_version()}. Load average at the start "
        f"{options.load:.1f}.", "",
        "To repeat: `make bench-peers` (options: `PEERS='--sizes tiny --rounds 3'`, see `bench/peers.py --help`). On "
        "Debian: `apt install python3-torch libopenblas0-openmp`.", "",
        f"One training step (forward, cross entropy, backward, Adam) of the pre-norm encoder tagger of `bench/step.hpp`; "
        f"{options.rounds} rounds in which every process runs about {options.seconds:g} s, one after the other. A ratio is "
        "PyTorch's time divided by heed's in the same round: median (least–most). Memory: peak resident minus that of "
        "the idle process after loading its libraries; live: heed's own count.", "",
        "PyTorch tuned: OpenMP flavour of OpenBLAS, "
        + ", ".join(f"`{name}={value}`" for name, value in TUNED.items())
        + "; the faster of nn.MultiheadAttention and attention written out, the faster of Adam with and without "
        "`foreach`, the faster of 1 and 2 threads. As installed: the distribution's OpenBLAS (pthreads) and malloc. heed: "
        "the engine named below and the distribution's malloc, the faster of 1 and 2 threads.", ""]
    if same:
        lines += ["Same weights, same numbers: " + "; ".join(f"{size}: {text}" for size, text in same.items()) + ".", ""]
    if start:
        lines += [f"Process start until the first tiny step is done: heed {start[0] * 1e3:.0f} ms, PyTorch "
                  f"{start[1] * 1e3:.0f} ms: **{start[1] / start[0]:.0f}**.", ""]
    for title, results, rows in sections:
        lines += [f"## {title}", ""]
        if results:
            lines += step_table(results) + [""]
            lines += ["Chosen for PyTorch: " + ", ".join(
                f"{r['size']} {r['dropout']}: {r['choice'][0]}{', foreach' if r['choice'][1] == '1' else ''}"
                for r in results) + ".", ""]
        if rows:
            lines += ["| operation, forward and backward | heed ms | PyTorch tuned ms | ratio |", "|---|---|---|---|"]
            lines += [f"| {name} | {mine:.3f} | {theirs:.3f} | {span(ratio)} |" for name, mine, theirs, ratio in rows]
            lines += [""]
    return "\n".join(lines)


def publish(text, out):
    if out == "-":
        print(text)
    else:
        with open(out, "w") as file:
            file.write(text)


def main():
    if sys.argv[1:2] == ["--serve"]:
        size, dropout, threads, attention, foreach = sys.argv[2:]
        return serve_step(size, float(dropout), int(threads), attention, foreach == "1")
    if sys.argv[1:2] == ["--serve-ops"]:
        return serve_operations(float(sys.argv[2]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=",".join(SIZES), help="comma-separated; empty: none")
    parser.add_argument("--dropout", default="0,0.1")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1, help="a turn of one process")
    parser.add_argument("--blas", choices=("both", "env", "free"), default="both",
                        help="OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE as set, unset, or one after the other")
    parser.add_argument("--no-installed", action="store_true", help="leave out PyTorch as installed")
    parser.add_argument("--no-ops", action="store_true", help="leave out the operations")
    parser.add_argument("--out", default=os.path.join(HERE, "RESULTS.md"), help="report; - prints it")
    options = parser.parse_args()
    options.load = os.getloadavg()[0]
    if not os.path.isdir(OPENMP):
        print(f"peers.py: no {OPENMP}: the tuned side runs without libopenblas0-openmp", file=sys.stderr)
    sizes = [size for size in options.sizes.split(",") if size]
    same = {size: check_same(size) for size in sizes}
    start = compare_start()
    set_here = [f"{k}={v}" for k, v in sorted(os.environ.items()) if k in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")]
    sections = []
    for pinned in (True, False):
        if options.blas == ("free" if pinned else "env") or (not set_here and not pinned and options.blas == "both"):
            continue
        results = []
        for size in sizes:
            for dropout in options.dropout.split(","):
                results.append(compare_steps(size, dropout, pinned, options.rounds, options.seconds,
                                             not options.no_installed))
                r = results[-1]
                print(f"{size} {dropout}: heed {r['sides']['heed']['both']} tuned {r['sides']['tuned']['both']} ratio "
                      f"{r['ratio']}", file=sys.stderr)
        rows = [] if options.no_ops else compare_operations(pinned, max(1, options.rounds // 3), options.seconds / 4)
        kernel = results[0]["sides"]["heed"]["engine"] if results else ""
        title = ("OpenBLAS as the environment sets it (" + ", ".join(set_here) + ")") if pinned and set_here else \
            "OpenBLAS as it chooses"
        sections.append((f"{title}; heed's products: {kernel}" if kernel else title, results, rows))
    publish(report(sections, same, start, options), options.out)


if __name__ == "__main__":
    main()
