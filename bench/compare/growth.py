"""Forms of one layer at one length, heed's and PyTorch's, taking turns."""

from compare.turns import BUILD, Server, environment, faster, take_turns, torch_command


def servers(name, n, threads):
    """Those of one side, by number of threads. A name that starts with "torch " is PyTorch's."""
    if name.startswith("torch "):
        return {count: Server(torch_command("lengths", name.removeprefix("torch "), n, count), environment(True, True))
                for count in threads}
    return {count: Server([f"{BUILD}/bench/length", name, str(n), str(count)], environment(False, True))
            for count in threads}


def compare(n, names, rounds, seconds, threads=(1, 2)):
    """{side: {"ms": by round, "peak": bytes beyond inputs, "rss_peak": bytes of the process}} at one length."""
    sides = {(name, count): server for name in names for count, server in servers(name, n, threads).items()}
    answers = take_turns(sides, rounds, seconds)
    result = {"engine": next(iter(sides.values())).hello["engine"], "sides": {}}  # heed's sides come first
    for name in names:
        times = {count: [answer["ms"] for answer in answers[name, count]] for count in threads}
        best = faster(times)
        result["sides"][name] = {"ms": times[best], **{key: sides[name, best].last[key] for key in ("peak", "rss_peak")}}
    for server in sides.values():
        server.close()
    return result
