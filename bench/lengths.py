#!/usr/bin/python3
"""Attention as sequences grow: heed's patterns beside each other and beside PyTorch, taking turns.

  lengths.py [--lengths 512,1024] [--rounds 5] [--seconds 0.3] [--out FILE]

One layer's attention without projections, forward and backward, batch 1, 4 heads of 64 numbers. Every side is its own
process; in each round every process runs once, one after the other, with the number of threads (1 or 2) that suits it.
PyTorch is tuned as in peers.py.
"""

import argparse
import datetime
import os
import statistics
import sys

from compare.report import Bars, publish, table
from compare.turns import BUILD, HERE, Server, environment, faster, ratios, take_turns, torch_command

# Names of bench/length.cpp. A mixer gets a line here, and one below with what stands beside it.
HEED = {"full": "full", "causal": "causal", "local": "local ±64", "longformer": "Longformer ±64, 1 global",
        "bigbird": "Big Bird 64 (3, 3, 1)", "strided": "strided 64, reach 1", "comb": "comb of 64"}
# Names of compare/torch_lengths.py.
TORCH = {"dense": "PyTorch dense", "chunked": "PyTorch local ±64, chunked", "linear": "PyTorch linear (elu+1)",
         "linformer": "PyTorch Linformer 256"}
# What computes the same on both sides; those that are not in HEED yet wait for it.
PAIRS = {"full": "dense", "local": "chunked", "linear": "linear", "linformer": "linformer"}
NAMES = HEED | {f"torch {name}": title for name, title in TORCH.items()}


def servers(name, n):
    """Those of one side, by number of threads."""
    if name in HEED:
        return {threads: Server([f"{BUILD}/bench/length", name, str(n), str(threads)], environment(False, True))
                for threads in (1, 2)}
    return {threads: Server(torch_command("lengths", name.removeprefix("torch "), n, threads), environment(True, True))
            for threads in (1, 2)}


def compare(n, names, rounds, seconds):
    """{side: {"ms": by round, "peak": bytes beyond inputs, "rss_peak": bytes of the process}} at one length."""
    sides = {(name, threads): server for name in names for threads, server in servers(name, n).items()}
    answers = take_turns(sides, rounds, seconds)
    result = {"engine": next(iter(sides.values())).hello["engine"]}  # heed's sides come first
    for name in names:
        times = {threads: [answer["ms"] for answer in answers[name, threads]] for threads in (1, 2)}
        best = faster(times)
        result[name] = {"ms": times[best], **{key: sides[name, best].last[key] for key in ("peak", "rss_peak")}}
    for server in sides.values():
        server.close()
    return result


def beside(n, r, verdict):
    """Rows of heed beside PyTorch at one length."""
    for mine, name in PAIRS.items():
        theirs = "torch " + name
        if mine in r and theirs in r:
            row = {"table": "lengths", "name": f"{mine}/{n}", "engine": r["engine"]}
            middle, least, most = ratios(r[theirs]["ms"], r[mine]["ms"])
            memory = r[mine]["rss_peak"] / r[theirs]["rss_peak"]
            yield [f"{HEED[mine]}, {n}", f"**{middle:.2f}** ({least:.2f}–{most:.2f})", verdict.cell(row, "time", middle),
                   f"**{memory:.2f}**", verdict.cell(row, "memory", memory, True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", default="64,128,256,512,1024,2048,4096,8192,16384,65536")
    parser.add_argument("--longest-full", type=int, default=16384, help="of full and causal")
    parser.add_argument("--longest-dense", type=int, default=8192, help="of PyTorch's dense attention")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="a turn of one process")
    parser.add_argument("--out", default=os.path.join(HERE, "LENGTHS.md"), help="report; - prints it")
    options = parser.parse_args()
    longest = {"full": options.longest_full, "causal": options.longest_full, "torch dense": options.longest_dense}
    load, verdict, times, memory, peers = os.getloadavg()[0], Bars(), [], [], []
    for n in map(int, options.lengths.split(",")):
        r = compare(n, [name for name in NAMES if n <= longest.get(name, n)], options.rounds, options.seconds)
        growth = [f"{ratios(r[a]['ms'], r[b]['ms'])[0]:.2f}" if a in r and b in r else "–"
                  for a, b in (("full", "local"), ("causal", "full"))]
        times.append([str(n), *(f"{statistics.median(r[name]['ms']):.4g}" if name in r else "–" for name in NAMES), *growth])
        memory.append([str(n), *(f"{r[name]['peak'] / 2**20:.1f}" if name in r else "–" for name in NAMES)])
        peers += beside(n, r, verdict)
        print(times[-1], file=sys.stderr)
    publish("\n".join([
        "# Attention as sequences grow", "",
        f"{datetime.date.today()}, {os.cpu_count()} cores, load average at the start {load:.1f}. Forward and backward, batch "
        f"1, 4 heads of 64, {options.rounds} rounds in turns; medians, the better of 1 and 2 threads. To repeat: "
        "`make bench-lengths`.", "", "## Milliseconds", "",
        *table(["N", *NAMES.values(), "full / local", "causal / full"], times), "## heed beside PyTorch", "",
        "PyTorch's time divided by heed's; heed's memory (most resident bytes of the process) divided by PyTorch's. "
        + verdict.summary(), "", *table(["what, N", "time", "bar", "memory", "bar"], peers),
        "## Peak memory beyond inputs, MiB", "", *table(["N", *NAMES.values()], memory),
        "heed: its own count of live bytes. PyTorch: resident memory beyond the idle process with its inputs.", ""]),
        options.out)


if __name__ == "__main__":
    main()
