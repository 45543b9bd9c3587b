"""Seeds faults, one at a time, in a small chapter whose programs are shell scripts; the checker has to find each. TAP."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGLISH = """# 00 · sum

[中文](README.zh.md) · <!--n seconds-->1<!--/n--> s

<a id="one"></a>
## One number

The sum $1 + 2$ is <!--n sum-->3.0<!--/n-->, see [above](#one).

<!-- code: add -->
```cpp
int sum = 1 + 2;
  indented;
```

<!-- output: result -->
```
sum 3.0
```

![a square](figures/square.svg)

<!-- exercise: 1 -->
Add.
"""
CHINESE = ENGLISH.replace("[中文](README.zh.md)", "[English](README.md)").replace("One number", "一个数")
SOURCE = """int main() {
  // [add]
  int sum = 1 + 2;
    indented;
  // [/add]
}
"""
FIGURE = '<svg><rect x="10" y="20"/></svg>\n'
PROGRAM = """#!/bin/sh
mkdir -p "$1/figures"
printf '%s' '<svg><rect x="10" y="20"/></svg>
' >"$1/figures/square.svg"
echo '{"numbers": {"seconds": {"text": "1", "tolerance": -1}, "sum": {"text": "3.0", "tolerance": 0.1}}, "blocks": {"result": 0},
"budget": 1}' >"$1/numbers.json"
echo ignored
echo '[result]'
echo 'sum 3.0'
echo '[/result]'
"""
NUMBERS = ('{"numbers": {"seconds": {"text": "1", "tolerance": -1}, "sum": {"text": "3.0", "tolerance": 0.1}}, '
           '"blocks": {"result": 0}, "budget": 1}')
COURSE = """# Course

[中文](README.zh.md)

<!-- table: map -->
| | the question | s |
|---|---|---|
| [00 sum](00-sum/README.md) | What is a sum? | 1 |
<!-- /table -->
<!-- table: orders -->
| to learn | read |
|---|---|
| all | [00](00-sum/README.md) |
<!-- /table -->
<!-- table: index -->
| notes | heading | chapter |
|---|---|---|
| S1 1 | sums | [00](00-sum/README.md) |
<!-- /table -->
<!-- table: notes -->
| chapter | headings |
|---|---|
| [00](00-sum/README.md) | S1 1 |
<!-- /table -->
"""
CHINESE_COURSE = (COURSE.replace("README.md", "README.zh.md").replace("[中文](README.zh.md)", "[English](README.md)")
                  .replace("| | the question | s |", "| | 问题 | 秒 |").replace("What is a sum?", "和是什么？")
                  .replace("| to learn | read |", "| 想学 | 读 |").replace("| all |", "| 全部 |")
                  .replace("| notes | heading | chapter |", "| 笔记 | 小节 | 章 |").replace("| sums |", "| 和 |")
                  .replace("| chapter | headings |", "| 章 | 小节 |"))
COURSE_DATA = """{"chapters": [{"number": "00", "en": "What is a sum?", "zh": "和是什么？"}],
 "headings": [["S1 1", "sums", "和", "00"]],
 "orders": [{"en": "all", "zh": "全部", "chapters": ["00"]}]}
"""
CHAPTER, BUILD = "tutorials/00-sum/", "build/tutorials/00-sum/"


def make(root):
    for name, content in {
        "tutorials/README.md": COURSE, "tutorials/README.zh.md": CHINESE_COURSE, "tutorials/course.json": COURSE_DATA,
        CHAPTER + "README.md": ENGLISH, CHAPTER + "README.zh.md": CHINESE, CHAPTER + "main.cpp": SOURCE,
        CHAPTER + "numbers.json": NUMBERS, CHAPTER + "figures/square.svg": FIGURE,
        CHAPTER + "exercises/1.cpp": "// TODO: add\n", CHAPTER + "exercises/check_1.cpp": "", CHAPTER + "solutions/1.cpp": "",
        BUILD + "main": PROGRAM, BUILD + "exercises/1": "#!/bin/sh\nexit 1\n", BUILD + "solutions/1": "#!/bin/sh\n",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        if name.startswith(BUILD):
            path.chmod(0o755)


def check(root, *options):
    environment = os.environ | {"BUILD": "build", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, ROOT / "tutorials/check.py", *options], cwd=root, env=environment,
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def both(root, old, new):
    for name in ("README.md", "README.zh.md"):
        edit(CHAPTER + name, old, new)(root)


def edit(name, old, new):
    def apply(root):
        path = root / name
        content = path.read_text(encoding="utf-8")
        assert old in content, f"{name} has no {old}"
        path.write_text(content.replace(old, new, 1), encoding="utf-8")
    return apply


def in_both(old, new):
    return lambda root: both(root, old, new)


def remove(name):
    return lambda root: (root / name).unlink()


EN, ZH, RUN = CHAPTER + "README.md", CHAPTER + "README.zh.md", BUILD + "main"
FAULTS = [  # what, how it is made, what the checker says
    ("code that differs from the program", in_both("1 + 2;", "2 + 1;"), 'add: "int sum = 2 + 1;" here'),
    ("code quoted with another indentation", in_both("  indented", "indented"), "add: "),
    ("a region that is not there", in_both("code: add", "code: subtract"), "has no region // [subtract]"),
    ("a region that no text quotes", edit(CHAPTER + "main.cpp", "int main", "// [x]\n// [/x]\nint main"), "does not quote the code x"),
    ("a mark without a fence", in_both("-->\n```cpp", "-->\n\n```cpp"), "without a fence"),
    ("an output that differs", in_both("```\nsum 3.0", "```\nsun 3.0"), 'result: "sun 3.0" here'),
    ("a number in an output", edit(RUN, "sum 3.0", "sum 3.5"), 'result: "sum 3.0" here'),
    ("an output that is not printed", in_both("output: result", "output: results"), "prints no block results"),
    ("an output that no text quotes", edit(RUN, "[result]", "[more]'\necho '[/more]'\necho '[result]"), "does not quote the output more"),
    ("a number in the text", in_both("-->3.0<!--", "-->3.1<!--"), 'sum: "3.1" here, "3.0" there'),
    ("a number beyond its tolerance", edit(RUN, '"3.0"', '"3.2"'), "sum is 3.0, the run says 3.2"),
    ("a number with another tolerance", edit(RUN, "0.1", "0.2"), "another tolerance"),
    ("a number that the program lacks", in_both("n sum-->", "n total-->"), "no number total"),
    ("a number that the file lacks", edit(RUN, '"sum"', '"s": {"text": "1", "tolerance": 0}, "sum"'), "s is only in the run"),
    ("a number without end", in_both("-->3.0<!--/n-->", "-->3.0"), "is not closed"),
    ("a number that no text quotes", in_both("<!--n seconds-->1<!--/n-->", "1"), "does not quote the number seconds"),
    ("a program that fails", edit(RUN, "echo ignored", "echo why >&2; exit 3"), "ends with 3: why"),
    ("a program that crashes", edit(RUN, "echo ignored", "kill -SEGV $$"), "the program ends with"),
    ("a program that is not built", remove(RUN), "the program ends with 127"),
    ("a program that takes long", edit(RUN, "echo ignored", "i=0; while [ $i -lt 4000000 ]; do i=$((i + 1)); done"), "its budget is"),
    ("a figure that differs in its parts", edit(CHAPTER + "figures/square.svg", "rect", "circle"), "differs from what the program draws"),
    ("a figure that differs in its places", edit(CHAPTER + "figures/square.svg", '"20"', '"50"'), "differs from what the program draws"),
    ("a figure that is missing", remove(CHAPTER + "figures/square.svg"), "is drawn by the program and missing"),
    ("a figure that is not drawn", edit(RUN, "square.svg", "squares.svg"), "is not drawn by the program"),
    ("a figure that no text shows", in_both("![a square](figures/square.svg)", ""), "does not show figures/square.svg"),
    ("a figure without description", in_both("![a square]", "![]"), "has no description"),
    ("a language that is missing", remove(ZH), "README.zh.md: is missing"),
    ("a heading in one language only", edit(ZH, "## 一个数", "## 一个数\n\n### 更多"), "headings differ"),
    ("a heading of another level", edit(ZH, "## 一个数", "### 一个数"), "headings differ"),
    ("another id", edit(ZH, '"one"', '"two"'), "ids differ"),
    ("code in one language only", edit(ZH, "<!-- code: add -->", ""), "code regions differ"),
    ("an output in one language only", edit(ZH, "<!-- output: result -->", ""), "output blocks differ"),
    ("a number in one language only", edit(ZH, "<!--n sum-->3.0<!--/n-->", "3.0"), "numbers differ"),
    ("an exercise in one language only", edit(ZH, "<!-- exercise: 1 -->", ""), "exercises differ"),
    ("a figure in one language only", edit(ZH, "![a square](figures/square.svg)", ""), "figures differ"),
    ("a heading without id", in_both('<a id="one"></a>\n', ""), "a heading without"),
    ("an id that is there twice", in_both("Add.", '<a id="one"></a>'), "the id one is there twice"),
    ("a dead link to a file", in_both("(#one)", "(../01-other/README.md)"), "a dead link: ../01-other/README.md"),
    ("a dead link to a place", in_both("(#one)", "(#two)"), "has no #two"),
    ("a dead link to a place elsewhere", in_both("(#one)", "(../00-sum/README.md#two)"), "has no #two"),
    ("languages without links", edit(EN, "[中文](README.zh.md)", ""), "no link to README.zh.md"),
    ("a formula glued to a letter", edit(ZH, "The sum $1 + 2$ is", "和 $1 + 2$是"), "needs a space on both sides"),
    ("a formula without end", in_both("$1 + 2$", "$1 + 2"), "a formula without end"),
    ("an exercise that no text states", in_both("<!-- exercise: 1 -->", ""), "states exercises []"),
    ("an exercise without checker", remove(CHAPTER + "exercises/check_1.cpp"), "there are checkers for []"),
    ("a stub without TODO", edit(CHAPTER + "exercises/1.cpp", "TODO", ""), "a stub with a TODO is missing"),
    ("a stub that passes", edit(BUILD + "exercises/1", "exit 1", "exit 0"), "the checker passes the stub"),
    ("a stub that crashes", edit(BUILD + "exercises/1", "exit 1", "kill -SEGV $$"), "the checker ends with"),
    ("a solution that fails", edit(BUILD + "solutions/1", "#!/bin/sh", "#!/bin/sh\necho ERROR: wrong; exit 1"), "refuses the solution: ERROR: wrong"),
]
MAP = "tutorials/README.md"
FAULTS += [
    ("a course map that differs from its data", edit(MAP, "What is a sum?", "What is a product?"), "a table differs"),
    ("a course map with other seconds", edit(MAP, "sum? | 1", "sum? | 2"), "a table differs"),
    ("a course map without a table", edit(MAP, "<!-- table: index -->", ""), "has the tables"),
    ("a course map with a dead link", edit(MAP, "# Course", "# Course\n\n[x](nowhere.md)"), "a dead link: nowhere.md"),
    ("a chapter without question", edit("tutorials/course.json", '"number": "00"', '"number": "01"'), "no question for chapter 00"),
    ("a heading with two chapters", edit("tutorials/course.json", '"00"]],', '"00"], ["S1 1", "sums", "和", "00"]],'),
     "S1 1 has two main chapters"),
    ("a heading of no chapter", edit("tutorials/course.json", '"和", "00"', '"和", "44"'), "S1 1 goes to chapter 44"),
]
FINE = [  # what, how it is made
    ("a chapter without faults", lambda root: None),
    ("a number within its tolerance, in its file and in an output", lambda root: (
        edit(RUN, '"3.0"', '"3.1"')(root), edit(RUN, "sum 3.0", "sum 3.1")(root))),
    ("an output within the block's tolerance", lambda root: (
        edit(RUN, '"result": 0', '"result": 0.5')(root), edit(RUN, "sum 3.0", "sum  3.4")(root))),
    ("a figure a little off", edit(CHAPTER + "figures/square.svg", '"20"', '"25"')),
]


def test(name, seed, expect, *options):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        make(root)
        seed(root)
        status, output = check(root, *options)
        good = expect(status, output, root)
    print(("ok - " if good else "not ok - ") + name)
    if not good:
        print("\n".join("#   " + line for line in output.splitlines()))
    return good


def updated(root):
    """Empties all that the program fills, in a chapter whose program then says something else."""
    both(root, "int sum = 1 + 2;\n  indented;\n", "")
    both(root, "```\nsum 3.0\n", "```\n")
    both(root, "-->3.0<!--", "--><!--")
    (root / CHAPTER / "numbers.json").unlink()
    shutil.rmtree(root / CHAPTER / "figures")
    edit(MAP, "What is a sum?", "")(root)
    for old in ('"3.0"', "sum 3.0"):
        edit(RUN, old, old.replace("3.0", "4.0"))(root)


def is_updated(status, output, root):
    renewed = [(root / name).read_text(encoding="utf-8") for name in (EN, ZH)]
    wanted = [old.replace("sum 3.0", "sum 4.0").replace("-->3.0<!--", "-->4.0<!--") for old in (ENGLISH, CHINESE)]
    return status == 0 and renewed == wanted and check(root)[0] == 0


def main():
    good = [test(f"{name}: found", seed, lambda status, output, _, says=says: status == 1 and says in output)
            for name, seed, says in FAULTS]
    good += [test(f"{name}: passes", seed, lambda status, output, _: status == 0) for name, seed in FINE]
    good.append(test("an update writes what the programs show", updated, is_updated, "--update"))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
