#!/usr/bin/python3
"""All mixers as sequences grow: time and memory of one layer, and PyTorch's of those that grow with N.

  mixers.py [--mixers linear,local] [--lengths 256,1024] [--rounds 3] [--seconds 0.3]

A layer with its projections, forward and backward, batch 1, 256 wide, 4 heads, 2 threads. Sides take turns as in
lengths.py. What is measured replaces its figures in bench/results.json; bench/MIXERS.md and bench/mixers.svg show all,
also without measuring (--lengths '').
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

from compare import results
from compare.chart import log_lines
from compare.growth import compare
from compare.report import circumstances, table
from compare.turns import BUILD, HERE, ratios

# Arguments at length n, where the defaults are not meant for long sequences; comparable reach where there is one.
ARGUMENTS = {
    "local": lambda n: "w=64", "strided": lambda n: "s=64,r=1", "longformer": lambda n: "w=64",
    "linformer": lambda n: "rank=256", "topk": lambda n: "k=32",
    "reformer": lambda n: f"buckets={max(2, n // 64)},chunk=64", "sinkhorn": lambda n: "block=64",
    "routing": lambda n: f"clusters={max(1, n // 64)},w=64",
}
# Beyond these a layer needs minutes or gigabytes.
LONGEST = {"attention": 16384, "additive": 1024, "topk": 4096, "prune": 4096, "compressed": 16384, "synthesizer": 4096,
           "gmlp": 4096, "routing": 16384, "sinkhorn": 16384, "rnn": 4096, "lstm": 4096, "gru": 4096, "strided": 65536}
TORCH = ("attention", "local", "linformer", "compressed", "linear", "efficient", "rfa", "performer", "mlp_mixer", "fnet")
TORCH_LONGEST = {"attention": 4096, "compressed": 4096}
COLOURS = {"full": "#888888", "skip entries": "#2f7fd0", "fewer keys": "#d07a1f", "reorder": "#2f9e55",
           "no queries and keys": "#b04fc4", "no attention": "#c8373a"}


def kinds():
    """{name: family} of all mixers."""
    listed = subprocess.run([f"{BUILD}/bench/length", "--mixers"], capture_output=True, text=True, check=True).stdout
    return dict(line.split("\t") for line in listed.splitlines())


def spec(name, n):
    return f"{name}:{ARGUMENTS[name](n)}" if name in ARGUMENTS else name


def measure(n, names, options, row):
    beside = ["attention", *names] if "attention" not in names else names  # full attention takes its turn in every run
    sides = {f"mixer {spec(name, n)}": name for name in beside if n <= LONGEST.get(name, n)}
    sides |= {f"torch layer {name}": f"torch {name}" for name in names
              if name in TORCH and n <= TORCH_LONGEST.get(name, LONGEST.get(name, n))}
    if sides:
        found = compare(n, list(sides), options.rounds, options.seconds, (2,))
        row["engine"] = found["engine"]
        full = found["sides"].get("mixer attention", {}).get("ms")
        row["sides"] |= {sides[side]: values | {"full": full} for side, values in found["sides"].items()}


def middle(side):
    return statistics.median(side["ms"])


def grid(rows, names, value):
    """A line a name, a column a length."""
    return table(["mixer", *(row["name"] for row in rows)],
                 [[name, *(value(row["sides"][name]) if name in row["sides"] else "–" for row in rows)] for name in names])


def generation():
    """[{"name", "microseconds": {position: ...}}] of layers that generate."""
    lines = subprocess.run([f"{BUILD}/bench/length", "--generate"], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def report(rows, families, written):
    full = {row["name"]: row["sides"]["attention"] for row in rows if "attention" in row["sides"]}
    beside, shares = [], []
    for name in families:
        both = [row for row in rows if name in row["sides"]]
        shares.append([f"`{spec(name, 4096)}`", families[name]] + [
            f"{ratios(row['sides'][name]['full'], row['sides'][name]['ms'])[0]:.2f}" if row in both and row["sides"][name].get("full") else "–"
            for row in rows] + [
            f"{row['sides'][name]['peak'] / full[row['name']]['peak']:.2f}" if row in both and row["name"] in full else "–"
            for row in rows])
        if name in TORCH:
            beside.append([name] + [
                "{:.2f}; {:.2f}".format(ratios(row["sides"]["torch " + name]["ms"], row["sides"][name]["ms"])[0],
                                        row["sides"][name]["rss_peak"] / row["sides"]["torch " + name]["rss_peak"])
                if row in both and "torch " + name in row["sides"] else "–" for row in rows])
    lengths = [row["name"] for row in rows]
    return [
        "# Mixers as sequences grow", "", "; ".join(dict.fromkeys(row["machine"] for row in rows)) + ".", "",
        circumstances(rows), "",
        "One layer with its projections, forward and backward, batch 1, 256 wide, 4 heads, 2 threads; sides in turns; medians. "
        "To repeat: `make bench-mixers`, in parts `make bench-mixers MIXERS='--mixers linear,local --lengths 4096'`. "
        "Where a cell is –, the layer would need minutes or gigabytes, or was not measured.", "",
        "![time and memory](mixers.svg)", "",
        "### Milliseconds", "", *grid(rows, families, lambda side: f"{middle(side):.4g}"),
        "### Peak memory beyond inputs and weights, MiB", "", *grid(rows, families, lambda side: f"{side['peak'] / 2**20:.1f}"),
        "### Beside heed's full attention", "",
        "How many times as fast, and the share of its peak memory. Full attention works in tiles, so its memory grows with N, "
        "not N²: shares are of that.", "",
        *table(["mixer", "family", *(f"time, {n}" for n in lengths), *(f"memory, {n}" for n in lengths)], shares),
        "### Beside PyTorch", "",
        "The same layer written plainly in PyTorch: its time divided by heed's; heed's memory (most resident bytes of the "
        "process) divided by PyTorch's.", "", *table(["mixer", *lengths], beside),
        "### Generation, position by position", "",
        "Positions a second of one causal layer, 256 wide, 4 heads, one sequence, by how many came before; attention keeps "
        "all keys and values.", "",
        *table(["mixer", *written[0]["microseconds"]],
               [[row["name"], *(f"{1e6 / us:,.0f}" for us in row["microseconds"].values())] for row in written])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mixers", default="", help="names; default all")
    parser.add_argument("--lengths", default="256,1024,4096,16384,65536")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3, help="a turn of one process")
    parser.add_argument("--results", default=results.PATH, help="what was measured so far")
    options = parser.parse_args()
    families, known = kinds(), results.read(options.results)
    names = [name for name in families if not options.mixers or name in options.mixers.split(",")]
    for n in (int(n) for n in options.lengths.split(",") if n):
        row = known.setdefault(f"mixers {n}", {"sides": {}})
        row |= {"name": str(n), "table": "mixers", **results.circumstances(options.rounds)}
        for each in names:  # each beside its PyTorch form
            measure(n, [each], options, row)
        results.write(options.results, known)
        print(n, {name: round(middle(side), 2) for name, side in row["sides"].items()}, file=sys.stderr)
    if options.lengths or "generation" not in known:
        known["generation"] = {"table": "generation", "layers": generation()}
        results.write(options.results, known)
    rows = sorted((row for row in known.values() if row["table"] == "mixers"), key=lambda row: int(row["name"]))
    results.publish("\n".join(report(rows, families, known["generation"]["layers"])), os.path.join(HERE, "MIXERS.md"))
    curves = [(name, COLOURS[families[name]],
               [(int(row["name"]), middle(row["sides"][name]), row["sides"][name]["peak"] / 2**20)
                for row in rows if name in row["sides"]]) for name in families]
    results.publish(log_lines(curves, ("milliseconds, forward and backward", "MiB beyond inputs and weights"), COLOURS),
                    os.path.join(HERE, "mixers.svg"))


if __name__ == "__main__":
    main()
