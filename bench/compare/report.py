"""RESULTS.md from the rows of results.json."""

import statistics

from compare.bars import OTHERS, bars
from compare.models import MODELS, STEPS
from compare.turns import TUNED, ratios

MIB = 2**20


def median(side):
    return statistics.median(side["ms"])


def against(row, kind):
    """heed beside that side: median, least and most; None when it was not measured."""
    sides = row["sides"]
    return ratios(sides[kind]["ms"], sides["heed"]["ms"]) if kind in sides else None


def brief(row):
    return ", ".join(f"{kind} {median(side):.4g} ms" for kind, side in row["sides"].items()) + "; " + ", ".join(
        f"{kind} {against(row, kind)[0]:.2f}" for kind in row["sides"] if kind != "heed")


def milliseconds(side):
    return f"{median(side):.4g} ({side['threads']})" if side else "–"


def mebibytes(side, key="whole"):
    return f"{side[key] / MIB:.0f}" if side else "–"


def a_second(row, ms):
    amount, of = MODELS[row["name"]]
    return f"{amount * 1e3 / ms:,.0f} {of}"


def table(header, rows):
    return ["| " + " | ".join(header) + " |", "|---" * len(header) + "|",
            *("| " + " | ".join(cells) + " |" for cells in rows), ""]


class Bars:
    """Compares with the bars and remembers what fell short."""

    def __init__(self):
        self.count, self.short = 0, []

    def cell(self, row, key, value, most=False):
        bar = bars(row["table"], row["name"], row["engine"]).get(key)
        if bar is None or value is None:
            return "–"
        good = value <= bar if most else value >= bar
        self.count += 1
        if not good:
            self.short.append(f"{row['name']} {key} {value:.2f} of {bar:g}")
        return f"{'≤ ' if most else ''}{bar:g} {'✓' if good else '✗'}"

    def ratio(self, row, kind):
        """Two cells: the ratio with its spread, and its bar."""
        found = against(row, kind)
        if found is None:
            return ["–", "–"]
        middle, least, most = found
        return [f"**{middle:.2f}** ({least:.2f}–{most:.2f})", self.cell(row, kind, middle)]

    def summary(self):
        text = f"{self.count - len(self.short)} of {self.count} bars hold."
        return text + (" Short: " + "; ".join(self.short) + "." if self.short else "")


def memory(rows, verdict):
    cells = []
    for row in rows:
        mine, tuned, installed = (row["sides"].get(kind) for kind in ("heed", "tuned", "installed"))
        smaller = min((side for side in (tuned, installed) if side), key=lambda side: side["whole"])
        whole = mine["whole"] / smaller["whole"]
        line = [row["name"], mebibytes(mine), mebibytes(tuned), mebibytes(installed), f"**{whole:.2f}**",
                verdict.cell(row, "memory", whole, True), f"{mine['memory'] / min(s['memory'] for s in (tuned, installed) if s):.2f}",
                mebibytes(mine, "live_peak"), f"{mine['allocations']:g}"]
        other = OTHERS.get(row["name"], (None, None, None))
        if other[2]:
            share = mine["whole"] / MIB / other[2]
            line[5] += f"; {other[0]} {other[2]}: **{share:.2f}** {verdict.cell(row, 'other_memory', share, True)}"
        cells.append(line)
    return table(["peak memory, MiB", "heed, whole process", "PyTorch tuned", "as installed", "heed / the smaller", "bar",
                  "beyond idle: heed / the smaller", "heed's tensors", "allocations a pass"], cells)


def start(rows, verdict):
    lines = []
    for row in rows:
        for kind in ("tuned", "installed"):
            if kind in row["sides"]:
                lines.append([f"PyTorch {kind}", f"{median(row['sides']['heed']):.0f}", f"{median(row['sides'][kind]):.0f}",
                              *verdict.ratio(row, kind)])
    return ["### Start of the process until the first tiny step is done", "",
            *table(["beside", "heed ms", "PyTorch ms", "ratio", "bar"], lines)]


def steps(rows, verdict):
    lines = []
    for row in rows:
        mine, tuned, installed = (row["sides"].get(kind) for kind in ("heed", "tuned", "installed"))
        lines.append([row["name"], milliseconds(mine), milliseconds(tuned), *verdict.ratio(row, "tuned"),
                      milliseconds(installed), *verdict.ratio(row, "installed"),
                      f"{2e-6 * mine['multiply_adds'] / median(mine):.0f}", f"{tuned['cpu'] / mine['cpu']:.2f}"])
    return ["### Training steps", "",
            "The pre-norm encoder taggers of `bench/step.hpp`: forward, cross entropy, backward, Adam.", "",
            *table(["size/dropout", "heed ms (threads)", "PyTorch tuned", "ratio", "bar", "as installed", "ratio", "bar",
                    "heed GF/s", "CPU time, 1 thread: ratio"], lines),
            *memory(rows, verdict), *checked(rows)]


def models(rows, verdict):
    lines = []
    for row in rows:
        mine, tuned, other = row["sides"]["heed"], row["sides"]["tuned"], OTHERS.get(row["name"])
        lines.append([row["name"], milliseconds(mine), milliseconds(tuned), a_second(row, median(mine)),
                      a_second(row, median(tuned)), *verdict.ratio(row, "tuned")])
        if other:
            faster = other[1] / median(mine)
            lines[-1] += [f"{other[0]} {other[1]:.0f} ms: **{faster:.2f}**", verdict.cell(row, "other", faster)]
        else:
            lines[-1] += ["–", "–"]
    return ["### Models", "",
            "gpt/V: training step of a causal model, 6 layers, 6 heads, 384 wide, 4 × 128 tokens of V, output tied, AdamW. "
            "bilstm/B: training on 32 sentences of 9 to 40 words in batches of B, Adam; PyTorch on packed sequences. "
            "tag/size/B: tags of B sentences of 24 words, without gradients.", "",
            *table(["model", "heed ms (threads)", "PyTorch tuned", "heed a second", "PyTorch a second", "ratio", "bar",
                    "others (measured apart)", "bar"], lines), *memory(rows, verdict), *checked(rows)]


def operations(rows, verdict):
    lines = []
    for row in rows:
        mine = row["sides"]["heed"]
        lines.append([row["name"], milliseconds(mine), milliseconds(row["sides"]["tuned"]), *verdict.ratio(row, "tuned"),
                      f"{mine['gflops']:.3g}", f"{mine['ceiling']:.2f}", verdict.cell(row, "ceiling", mine["ceiling"])])
    return ["### Operations, forward and backward", "",
            *table(["operation", "heed ms (threads)", "PyTorch tuned", "ratio", "bar", "GF/s", "of the sgemm ceiling", "bar"],
                   lines)]


def checked(rows):
    return ["Same weights and batches, dropout off; loss of heed and PyTorch: " + "; ".join(
        f"{row['name']} {row['losses'][0]:.5f} and {row['losses'][1]:.5f} ({row['parameters']:,} parameters)" for row in rows)
        + ". Chosen for PyTorch: " + ", ".join(f"{row['name']} {row['choice']}" for row in rows) + ".", ""]


def circumstances(rows):
    dates = sorted({row["date"] for row in rows})
    return (f"{' – '.join(dict.fromkeys((dates[0], dates[-1])))}; rounds: "
            f"{', '.join(map(str, sorted({row['rounds'] for row in rows})))}; load average before, at most "
            f"{max(row['load'] for row in rows)}.")


def section(rows):
    """All tables of one engine and setting of OpenBLAS."""
    verdict, parts = Bars(), []
    for name, write in (("start", start), ("steps", steps), ("models", models), ("operations", operations)):
        some = [row for row in rows if row["table"] == name]
        order = {"steps": STEPS, "models": list(MODELS)}.get(name)
        if some:
            parts += write(sorted(some, key=lambda row: order.index(row["name"])) if order else some, verdict)
    title = "OpenBLAS as it chooses" if rows[0]["blas"] == "free" else f"OpenBLAS as the environment sets it ({rows[0]['blas']})"
    return [f"## {title}; heed multiplies with {rows[0]['engine']}", "", circumstances(rows), "", verdict.summary(), "", *parts]


def report(rows):
    lines = [
        "# heed and PyTorch", "",
        "; ".join(dict.fromkeys(row["machine"] for row in rows)) + ".", "",
        "To repeat: `make bench-peers`, in parts `make bench-peers PEERS='--only steps --rows tiny --rounds 3'`, see "
        "`bench/peers.py --help`. On Debian: `apt install python3-torch libopenblas0-openmp`.", "",
        "The processes take turns, round by round. A ratio is PyTorch's time divided by heed's in the same round: median "
        "(least–most), beside the bar that the project set itself. Times are medians, of the better of 1 and 2 threads. "
        "Memory: most resident bytes; beyond idle: without the process as it is after loading its libraries.", "",
        "PyTorch tuned: OpenMP flavour of OpenBLAS, " + ", ".join(f"`{name}={value}`" for name, value in TUNED.items())
        + "; the fastest of nn.MultiheadAttention and attention written out, Adam with and without `foreach`. As installed: "
        "the distribution's OpenBLAS (pthreads) and malloc. heed: the engine named below, the distribution's OpenBLAS and malloc.", ""]
    kinds = dict.fromkeys((row["blas"] == "free", row["engine"]) for row in rows)
    for kind in sorted(kinds):
        lines += section([row for row in rows if (row["blas"] == "free", row["engine"]) == kind])
    return "\n".join(lines)
