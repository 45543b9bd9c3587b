"""Operations: Google Benchmark on heed's side, compare/torch_operations.py on the other."""

import json
import statistics
import subprocess

from compare.turns import BUILD, Server, environment, faster, torch_command

SCALE = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


def heed_times(name, seconds, pinned):
    """{threads: what Google Benchmark says}, with its context."""
    report = json.loads(subprocess.run(
        [f"{BUILD}/bench/ops", f"--benchmark_filter=^{name}/threads", f"--benchmark_min_time={seconds}",
         "--benchmark_format=json"], env=environment(False, pinned), capture_output=True, check=True).stdout)
    return {int(entry["name"].split("threads:")[1].split("/")[0]): entry for entry in report["benchmarks"]}, report["context"]


def compare(pattern, pinned, rounds, seconds):
    """Yields the name and result of each operation whose name matches."""
    server = Server(torch_command("operations", pattern, seconds), environment(True, pinned))
    at = server.hello
    while at:
        name, mine, theirs, ceiling = at["name"], {1: [], 2: []}, {1: [], 2: []}, {1: [], 2: []}
        for _ in range(rounds):
            entries, context = heed_times(name, seconds, pinned)
            for threads, entry in entries.items():
                mine[threads].append(entry["real_time"] * SCALE[entry["time_unit"]])
                ceiling[threads].append(entry["of_ceiling"])
                theirs[threads].append(server.ask(threads)["ms"])
        threads, their_threads = faster(mine), faster(theirs)
        yield name, {"engine": context["engine"], "sides": {
            "heed": {"threads": threads, "ms": mine[threads], "gflops": entries[threads]["GF/s"],
                     "ceiling": statistics.median(ceiling[threads])},
            "tuned": {"threads": their_threads, "ms": theirs[their_threads]}}}
        at = server.ask("next")
    server.close()
