#!/usr/bin/python3
"""Attention as sequences grow: heed's patterns beside each other and beside PyTorch, taking turns.

  lengths.py [--lengths 512,1024] [--rounds 5] [--seconds 0.3] [--out FILE]

One layer's attention without projections, forward and backward, batch 1, 4 heads of 64 numbers. Every side is its own
process; in each round every process runs once, one after the other, with the number of threads (1 or 2; from 8192 on 2)
that suits it. PyTorch is tuned as in peers.py. Lengths that are measured replace their rows in bench/results.json;
bench/LENGTHS.md shows all.
"""

import argparse
import os
import statistics
import sys

from compare import results
from compare.growth import compare
from compare.report import Bars, circumstances, table
from compare.turns import HERE, ratios

# Names of bench/length.cpp.
HEED = {"full": "full", "causal": "causal", "local": "local ±64", "longformer": "Longformer ±64, 1 global",
        "bigbird": "Big Bird 64 (3, 3, 1)", "strided": "strided 64, reach 1", "comb": "comb of 64",
        "linear": "linear (elu+1)", "linformer": "Linformer 256"}
# Names of compare/torch_lengths.py.
TORCH = {"dense": "PyTorch dense", "chunked": "PyTorch local ±64, chunked", "linear": "PyTorch linear (elu+1)",
         "linformer": "PyTorch Linformer 256"}
# What computes the same on both sides.
PAIRS = {"full": "dense", "local": "chunked", "linear": "linear", "linformer": "linformer"}
NAMES = HEED | {f"torch {name}": title for name, title in TORCH.items()}


def beside(row, verdict):
    """Lines of heed beside PyTorch at one length."""
    for name, other in PAIRS.items():
        mine, theirs = row["sides"].get(name), row["sides"].get("torch " + other)
        if mine and theirs:
            middle, least, most = ratios(theirs["ms"], mine["ms"])
            memory, where = mine["rss_peak"] / theirs["rss_peak"], row | {"name": f"{name}/{row['name']}"}
            yield [f"{HEED[name]}, {row['name']}", f"**{middle:.2f}** ({least:.2f}–{most:.2f})",
                   verdict.cell(where, "time", middle), f"**{memory:.2f}**", verdict.cell(where, "memory", memory, True)]


def report(rows):
    """All lengths of one engine."""
    verdict, times, memory, peers = Bars(), [], [], []
    for row in sorted(rows, key=lambda row: int(row["name"])):
        sides = row["sides"]
        growth = [f"{ratios(sides[a]['ms'], sides[b]['ms'])[0]:.2f}" if a in sides and b in sides else "–"
                  for a, b in (("full", "local"), ("causal", "full"))]
        times.append([row["name"], *(f"{statistics.median(sides[name]['ms']):.4g}" if name in sides else "–"
                                     for name in NAMES), *growth])
        memory.append([row["name"], *(f"{sides[name]['peak'] / 2**20:.1f}" if name in sides else "–" for name in NAMES)])
        peers += beside(row, verdict)
    return [f"## {rows[0]['engine']}", "", circumstances(rows), "", "### Milliseconds", "",
            *table(["N", *NAMES.values(), "full / local", "causal / full"], times), "### heed beside PyTorch", "",
            "PyTorch's time divided by heed's; heed's memory (most resident bytes of the process) divided by PyTorch's. "
            + verdict.summary(), "", *table(["what, N", "time", "bar", "memory", "bar"], peers),
            "### Peak memory beyond inputs, MiB", "",
            "heed: its own count of live bytes. PyTorch: resident memory beyond the idle process with its inputs.", "",
            *table(["N", *NAMES.values()], memory)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", default="64,128,256,512,1024,2048,4096,8192,16384,65536")
    parser.add_argument("--longest-full", type=int, default=16384, help="of full and causal")
    parser.add_argument("--longest-dense", type=int, default=8192, help="of PyTorch's dense attention")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="a turn of one process")
    parser.add_argument("--results", default=results.PATH, help="what was measured so far")
    parser.add_argument("--out", default=os.path.join(HERE, "LENGTHS.md"), help="report; - prints it")
    options = parser.parse_args()
    longest = {"full": options.longest_full, "causal": options.longest_full, "torch dense": options.longest_dense}
    known = results.read(options.results)
    for n in (int(n) for n in options.lengths.split(",") if n):
        names = [name for name in NAMES if n <= longest.get(name, n)]
        about = {"name": str(n), "table": "lengths", **results.circumstances(options.rounds)}
        row = about | compare(n, names, options.rounds, options.seconds, (1, 2) if n < 8192 else (2,))
        known[f"lengths {n} {row['engine'].split()[0]}"] = row
        results.write(options.results, known)
        print(n, {name: round(statistics.median(side["ms"]), 2) for name, side in row["sides"].items()}, file=sys.stderr)
    rows = [row for row in known.values() if row["table"] == "lengths"]
    lines = ["# Attention as sequences grow", "", "; ".join(dict.fromkeys(row["machine"] for row in rows)) + ".", "",
             "Forward and backward, batch 1, 4 heads of 64, sides in turns; medians, the better of 1 and 2 threads. To repeat: "
             "`make bench-lengths`, in parts `make bench-lengths LENGTHS='--lengths 8192'`.", ""]
    for engine in dict.fromkeys(row["engine"] for row in rows):
        lines += report([row for row in rows if row["engine"] == engine])
    results.publish("\n".join(lines), options.out)


if __name__ == "__main__":
    main()
