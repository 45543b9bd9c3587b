#!/usr/bin/python3
"""Attention as sequences grow: heed's patterns beside each other and beside PyTorch's dense attention, taking turns.

  lengths.py [--lengths 512,1024] [--longest-dense 8192] [--rounds 5] [--seconds 0.3] [--out FILE]

One layer's attention without projections, forward and backward, batch 1, 4 heads of 64 numbers. Every side is its own
process; in each round every process runs once, one after the other, with the number of threads (1 or 2) that suits it.
PyTorch is tuned as in peers.py.
"""

import argparse
import datetime
import os
import statistics
import sys

import peers

PATTERNS = ("full", "causal", "local", "longformer", "bigbird", "strided", "comb")
HEADS, WIDTH = 4, 64


def serve_dense(n, threads):
    import torch

    torch.set_num_threads(threads)
    q, k, v = (torch.randn(1, HEADS, n, WIDTH).requires_grad_() for _ in range(3))
    seed = torch.randn(1, HEADS, n, WIDTH)

    def run():
        for x in (q, k, v):
            x.grad = None
        (torch.softmax((q * WIDTH**-0.5) @ k.transpose(-2, -1), -1) @ v).backward(seed)

    idle = peers.resident("VmRSS")
    print('{"hello": 1}', flush=True)
    for line in sys.stdin:
        ms = peers.timed(run, least=int(line))
        print(f'{{"ms": {ms}, "peak": {peers.resident("VmHWM") - idle}}}', flush=True)


def compare(n, dense, rounds, seconds):
    """{side: (milliseconds by round, peak bytes)} at one length."""
    sides = {}
    for threads in (1, 2):
        for name in PATTERNS:
            sides[name, threads] = peers.Server([f"{peers.BUILD}/bench/length", name, str(n), str(threads)],
                                                peers.environment(False, True))
        if dense:
            sides["dense", threads] = peers.Server(["/usr/bin/python3", __file__, "--serve", str(n), str(threads)],
                                                   peers.environment(True, True))
    count, times = {}, {key: [] for key in sides}
    for key, server in sides.items():
        server.ask(1)
        count[key] = max(1, min(200, int(seconds * 1e3 / server.ask(1)["ms"])))
    for _ in range(rounds):
        for key, server in sides.items():
            times[key].append(server.ask(count[key])["ms"])
    result = {}
    for name in PATTERNS + (("dense",) if dense else ()):
        best = min((1, 2), key=lambda threads: statistics.median(times[name, threads]))
        result[name] = times[name, best], sides[name, best].last["peak"]
    for server in sides.values():
        server.close()
    return result


def ratio(above, below):
    return statistics.median(a / b for a, b in zip(above[0], below[0]))


def main():
    if sys.argv[1:2] == ["--serve"]:
        return serve_dense(int(sys.argv[2]), int(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", default="64,128,256,512,1024,2048,4096,8192,16384")
    parser.add_argument("--longest-dense", type=int, default=8192)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="a turn of one process")
    parser.add_argument("--out", default=os.path.join(peers.HERE, "LENGTHS.md"), help="report; - prints it")
    options = parser.parse_args()
    titles = {"local": "local ±64", "longformer": "Longformer ±64, 1 global", "bigbird": "Big Bird 64 (3, 3, 1)",
              "strided": "strided 64, reach 1", "comb": "comb of 64", "dense": "PyTorch dense"}
    names = PATTERNS + ("dense",)
    times = ["| N | " + " | ".join(titles.get(name, name) for name in names) + " | PyTorch / full | full / local "
             "| PyTorch / local | causal / full |", "|---" * (len(names) + 5) + "|"]
    memory = ["| N | " + " | ".join(titles.get(name, name) for name in names) + " |", "|---" * (len(names) + 1) + "|"]
    load = os.getloadavg()[0]
    for n in map(int, options.lengths.split(",")):
        r = compare(n, n <= options.longest_dense, options.rounds, options.seconds)
        both = "dense" in r
        cells = [f"{statistics.median(r[name][0]):.2f}" if name in r else "–" for name in names]
        cells += [f"{ratio(r['dense'], r['full']):.2f}" if both else "–", f"{ratio(r['full'], r['local']):.1f}",
                  f"{ratio(r['dense'], r['local']):.1f}" if both else "–", f"{ratio(r['causal'], r['full']):.2f}"]
        times.append(f"| {n} | " + " | ".join(cells) + " |")
        memory.append(f"| {n} | " + " | ".join(f"{r[name][1] / 2**20:.1f}" if name in r else "–" for name in names) + " |")
        print(times[-1], file=sys.stderr)
    peers.publish("\n".join([
        "# Attention as sequences grow", "",
        f"{datetime.date.today()}, {os.cpu_count()} cores, load average at the start {load:.1f}. Forward and backward, batch "
        f"1, {HEADS} heads of {WIDTH}, {options.rounds} rounds in turns; medians, the better of 1 and 2 threads. To repeat: "
        "`make bench-lengths`.", "", "## Milliseconds", "", *times, "", "## Peak memory beyond inputs, MiB", "", *memory, "",
        "heed: its own count of live bytes. PyTorch: resident memory beyond the idle process with its inputs.", ""]), options.out)


if __name__ == "__main__":
    main()
