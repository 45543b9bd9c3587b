#!/usr/bin/python3
"""Compares heed with PyTorch, taking turns on one machine: operations, training steps, models, start-up.

Every side is its own process with 1 or 2 threads, PyTorch tuned and (training steps, start-up) as installed. In each
round every process runs for some time, one process after the other. A ratio is PyTorch's time divided by heed's in the
same round, each with the number of threads that suits it best. Both start from the same weights and batches, and must
compute the same loss.

Tuned means: the OpenMP flavour of OpenBLAS, a malloc that keeps its memory and asks for huge pages, and the fastest of
what a user would try (nn.MultiheadAttention or attention written out, both of Adam's loops). As installed means the
distribution's defaults with the same model.

What is measured replaces its rows in bench/results.json; bench/RESULTS.md shows all rows there.
"""

import argparse
import importlib
import os
import re
import sys

from compare import models, operations, report, results
from compare.turns import HERE, OPENMP, PINS

TABLES = ("start", "steps", "models", "operations")


def measure(table, pinned, options):
    """Yields the name and result of each row."""
    if table == "start":
        if re.search(options.rows, "start"):
            yield "start", models.compare_start(pinned, options.rounds, options.installed)
    elif table == "operations":
        yield from operations.compare(options.rows, pinned, options.rounds, options.seconds / 4)
    else:
        for name in models.STEPS if table == "steps" else models.MODELS:
            if re.search(options.rows, name):
                task, dropout = name.rsplit("/", 1) if table == "steps" else (name, "0")
                yield name, models.compare(task, dropout, pinned, options.rounds, options.seconds,
                                           options.installed and table == "steps")


def main():
    if sys.argv[1:2] == ["--serve"]:
        return importlib.import_module(f"compare.torch_{sys.argv[2]}").serve(*sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(TABLES), help="tables, separated by commas (default: %(default)s)")
    parser.add_argument("--rows", default="", help="a regular expression that names of rows match: 'tiny|gpt/5000'")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1, help="a turn of one process; operations take a quarter")
    parser.add_argument("--blas", choices=("both", "env", "free"), default="both",
                        help="OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE as set, unset, or one after the other")
    parser.add_argument("--no-installed", dest="installed", action="store_false", help="leave out PyTorch as installed")
    parser.add_argument("--results", default=results.PATH, help="what was measured so far")
    parser.add_argument("--out", default=os.path.join(HERE, "RESULTS.md"), help="the report; - prints it")
    options = parser.parse_args()
    tables = [table for table in options.only.split(",") if table]
    if not set(tables) <= set(TABLES):
        parser.error(f"--only takes {', '.join(TABLES)}")
    if not os.path.isdir(OPENMP):
        print(f"peers.py: no {OPENMP}: the tuned side runs without libopenblas0-openmp", file=sys.stderr)
    set_here = ", ".join(f"{name}={os.environ[name]}" for name in PINS if name in os.environ)
    known = results.read(options.results)
    for pinned in (True, False):
        if options.blas == ("free" if pinned else "env") or (not set_here and not pinned and options.blas == "both"):
            continue
        for table in tables:
            about = {"table": table, "blas": set_here if pinned and set_here else "free",
                     **results.circumstances(options.rounds)}
            for name, result in measure(table, pinned, options):
                row = {"name": name, **about, **result}
                known[f"{table} {name} {'env' if pinned else 'free'} {row['engine'].split()[0]}"] = row
                results.write(options.results, known)
                print(f"{about['blas']}: {table} {name}: {report.brief(row)}", file=sys.stderr)
    results.publish(report.report([row for row in known.values() if row["table"] in TABLES]), options.out)


if __name__ == "__main__":
    main()
