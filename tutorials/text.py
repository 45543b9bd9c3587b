"""The texts of the chapters: their marks, headings, links and formulas. See check.py."""
import dataclasses
import pathlib
import re
import tempfile
import textwrap

QUOTE = re.compile(r"^<!-- (code|output): (?:(\S+) )?([\w-]+) -->\n```(\w*)\n(.*?)^```$", re.M | re.S)
QUOTE_START = re.compile(r"^[ \t]*<!-- (?:code|output): .*?-->", re.M)
NUMBER = re.compile(r"<!--n ([\w-]+)-->(.*?)<!--/n-->", re.S)
EXERCISE = re.compile(r"^<!-- exercise: (\w+) -->$", re.M)
FENCE = re.compile(r"^(```+)[^\n]*\n.*?^\1$", re.M | re.S)
COMMENT = re.compile(r"<!--.*?-->", re.S)
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#+) +(.*)$", re.M)
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
FORMULA = re.compile(r"\$\$.*?\$\$|\$(?=\S)[^$\n]*?\$", re.S)


@dataclasses.dataclass
class Mark:
    """A place in a text that a program fills: kind is code, output or n."""
    kind: str
    name: str
    file: str  # of code: another file than main.cpp
    body: str
    start: int
    end: int
    where: str  # FILE:LINE


def regions(source, form):
    """Name -> text of what stands between lines `[name]` and `[/name]`, written in `form`; dedented."""
    start, end = (re.compile(re.escape(form).replace(r"\{\}", kind)) for kind in (r"([\w-]+)", r"/([\w-]+)"))
    found, name, lines = {}, None, []
    for line in source.splitlines():
        if name is None and (match := start.fullmatch(line.strip())):
            name, lines = match[1], []
        elif name is not None and (match := end.fullmatch(line.strip())) and match[1] == name:
            found[name], name = textwrap.dedent("\n".join(lines)) + "\n", None
        elif name is not None:
            lines.append(line.rstrip())
    return found


def write(path, content):
    """Replaces the file at `path`, whole or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(content)
    pathlib.Path(file.name).chmod(0o644)
    pathlib.Path(file.name).replace(path)


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", ANCHOR.sub("", heading).strip().lower()).replace(" ", "-")


def anchors(path):
    prose = FENCE.sub("", path.read_text(encoding="utf-8"))
    return set(ANCHOR.findall(prose)) | {slug(title) for _, title in HEADING.findall(prose)}


class Text:
    def __init__(self, path, content):
        self.path, self.content = path, content
        self.marks = [Mark(m[1], m[3], m[2] or "", m[5], m.start(5), m.end(5), self.where(m.start()))
                      for m in QUOTE.finditer(content)]
        self.marks += [Mark("n", m[1], "", m[2], m.start(2), m.end(2), self.where(m.start()))
                       for m in NUMBER.finditer(content)]
        self.exercises = EXERCISE.findall(content)
        # What a reader reads: code blanked out, each character where it was.
        blank = lambda m: re.sub(r"[^\n]", " ", m[0])  # noqa: E731
        self.plain = FENCE.sub(blank, content)
        self.prose = re.sub(r"`[^`\n]*`", blank, self.plain)
        self.levels = [len(m[1]) for m in HEADING.finditer(self.prose)]
        self.ids = ANCHOR.findall(self.prose)
        self.images = [m[2] for m in IMAGE.finditer(self.plain)]

    def where(self, at):
        return f"{self.path}:{self.content.count(chr(10), 0, at) + 1}"

    def faults(self):
        """What is wrong with the text alone: (place: what), a line each."""
        found = []

        def fault(at, what):
            found.append(f"{self.where(at)}: {what}")

        known = {m.start() for m in QUOTE.finditer(self.content)}
        for m in QUOTE_START.finditer(self.content):
            if m.start() not in known:
                fault(m.start(), "a mark of code or output without a fence on the next line")
        if self.content.count("<!--n ") != sum(mark.kind == "n" for mark in self.marks):
            fault(0, "a number's mark is not closed: <!--n name-->1<!--/n-->")
        lines = self.content.split("\n")
        for m in HEADING.finditer(self.prose):
            line = self.content.count("\n", 0, m.start())
            if len(m[1]) > 1 and not any(ANCHOR.search(text) for text in lines[max(0, line - 2):line + 1]):
                fault(m.start(), 'a heading without <a id="..."></a> on the line before')
        for name in {name for name in self.ids if self.ids.count(name) > 1}:
            fault(self.content.index(f'"{name}"'), f"the id {name} is there twice")
        for m in IMAGE.finditer(self.plain):
            if not m[1].strip():
                fault(m.start(), f"{m[2]} has no description")
        for m in list(LINK.finditer(self.prose)) + list(IMAGE.finditer(self.plain)):
            target, _, anchor = m[m.lastindex].partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            file = self.path.parent / target if target else self.path
            if not file.exists():
                fault(m.start(), f"a dead link: {target}")
            elif anchor and anchor not in anchors(file / "README.md" if file.is_dir() else file):
                fault(m.start(), f"a dead link: {target} has no #{anchor}")
        prose = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), self.prose)
        rest = FORMULA.sub(lambda m: " " * len(m[0]), prose)
        if "$" in rest:
            fault(rest.index("$"), "a formula without end, or with a space after the first $")
        for m in FORMULA.finditer(prose):
            before, after = prose[m.start() - 1:m.start()], prose[m.end():m.end() + 1]
            if any(c and (c.isalnum() or ord(c) > 127) for c in (before, after)):
                fault(m.start(), f"a formula needs a space on both sides: {before}{m[0]}{after}")
        other = "README.md" if self.path.name == "README.zh.md" else "README.zh.md"
        if other not in LINK.findall(self.prose):
            fault(0, f"no link to {other}")
        return found


def differences(english, chinese):
    """(what, English, Chinese) for each thing that has to be the same in both texts and is not."""
    for what, of in (
        ("headings", lambda t: t.levels),
        ("ids", lambda t: t.ids),
        ("code regions", lambda t: [mark.file + mark.name for mark in t.marks if mark.kind == "code"]),
        ("output blocks", lambda t: [mark.name for mark in t.marks if mark.kind == "output"]),
        ("numbers", lambda t: sorted(mark.name for mark in t.marks if mark.kind == "n")),
        ("exercises", lambda t: t.exercises),
        ("figures", lambda t: t.images),
    ):
        theirs, ours = of(english), of(chinese)
        if theirs != ours:
            at = next((i for i, (a, b) in enumerate(zip(theirs, ours)) if a != b), min(len(theirs), len(ours)))
            yield what, *(f"{side[at]} at place {at + 1}" if at < len(side) else f"ends after {len(side)}"
                          for side in (theirs, ours))


def first_difference(old, new):
    """The first line in which two texts differ, as both have it."""
    olds, news = old.splitlines(), new.splitlines()
    for a, b in zip(olds, news):
        if a != b:
            return f'"{a.strip()}" here, "{b.strip()}" there'
    return f"{len(olds)} lines here, {len(news)} there"
