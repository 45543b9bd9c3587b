"""The course map, tutorials/README.md and README.zh.md: tables made from course.json and the chapters. See check.py.

A text holds a table between `<!-- table: NAME -->` and `<!-- /table -->`: map (chapters), orders (ways to read), index
(headings of the lecture notes -> chapter) and notes (chapter -> headings). Chapters that are not there are left out.
"""
import json
import re

import text

TABLE = re.compile(r"(<!-- table: (\w+) -->\n)(.*?)(<!-- /table -->)", re.S)
WORDS = {
    "en": {"map": "| | the question | s |", "index": "| notes | heading | chapter |", "notes": "| chapter | headings |",
           "orders": "| to learn | read |", "file": "README.md"},
    "zh": {"map": "| | 问题 | 秒 |", "index": "| 笔记 | 小节 | 章 |", "notes": "| 章 | 小节 |",
           "orders": "| 想学 | 读 |", "file": "README.zh.md"},
}


class Course:
    def __init__(self, root):
        self.root = root
        self.data = json.loads((root / "course.json").read_text(encoding="utf-8"))
        files = [words["file"] for words in WORDS.values()] + ["numbers.json"]
        self.chapters = {path.name[:2]: path for path in sorted(root.glob("[0-9][0-9]-*"))
                         if all((path / file).exists() for file in files)}

    def link(self, number, language):
        return f"[{number}]({self.chapters[number].name}/{WORDS[language]['file']})"

    def title(self, number, language):
        first = (self.chapters[number] / WORDS[language]["file"]).read_text(encoding="utf-8").split("\n", 1)[0]
        title = re.sub(r"^# \d\d\W*", "", first)
        return f"[{number} {title}]({self.chapters[number].name}/{WORDS[language]['file']})"

    def seconds(self, number):
        return json.loads((self.chapters[number] / "numbers.json").read_text())["numbers"]["seconds"]["text"]

    def table(self, name, language):
        head = WORDS[language][name]
        rows = [head, re.sub(r"[^|]+", "---", head)]
        which = 1 if language == "en" else 2
        headings = [h for h in self.data["headings"] if h[3] in self.chapters]
        if name == "map":
            questions = {c["number"]: c[language] for c in self.data["chapters"]}
            rows += [f"| {self.title(n, language)} | {questions.get(n, '')} | {self.seconds(n)} |" for n in self.chapters]
        elif name == "index":
            rows += [f"| {h[0]} | {h[which]} | {self.link(h[3], language)} |" for h in headings]
        elif name == "notes":
            for n in self.chapters:
                mine = [h[0] for h in headings if h[3] == n]
                rows += [f"| {self.link(n, language)} | {' · '.join(mine)} |"] if mine else []
        elif name == "orders":
            rows += [f"| {order[language]} | {' '.join(self.link(n, language) for n in order['chapters'] if n in self.chapters)} |"
                     for order in self.data["orders"]]
        return "\n".join(rows) + "\n"


def faults(root, update):
    """What is wrong with the course map, a line each; with `update` its tables are renewed first."""
    if not (root / "course.json").exists():
        return []
    course, found, texts = Course(root), [], []
    listed = [c["number"] for c in course.data["chapters"]]
    found += [f"{root}/course.json: no question for chapter {n}" for n in course.chapters if n not in listed]
    places = [h[0] for h in course.data["headings"]]
    found += [f"{root}/course.json: {place} has two main chapters" for place in sorted({p for p in places if places.count(p) > 1})]
    found += [f"{root}/course.json: {h[0]} goes to chapter {h[3]}" for h in course.data["headings"] if h[3] not in listed]
    for language, words in WORDS.items():
        path = root / words["file"]
        content = path.read_text(encoding="utf-8")
        renewed = TABLE.sub(lambda m: m[1] + course.table(m[2], language) + m[4], content)
        if renewed != content and update:
            text.write(path, renewed)
        elif renewed != content:
            found.append(f"{path}: a table differs from course.json and the chapters; make tutorials-update renews it")
        names = [m[2] for m in TABLE.finditer(content)]
        if sorted(names) != ["index", "map", "notes", "orders"]:
            found.append(f"{path}: has the tables {names}, expected map, orders, index and notes, once each")
        texts.append(text.Text(path, renewed))
        found += texts[-1].faults()
    found += [f"{texts[1].path}: {what} differ from the English: {theirs}, here {ours}"
              for what, theirs, ours in text.differences(*texts)]
    return found
