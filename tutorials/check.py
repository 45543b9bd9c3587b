#!/usr/bin/env python3
"""Compares the chapters of the tutorials with what their programs show, or writes it into them.

check.py [--update] [CHAPTER...]   from the project's root, after `make tutorials-build`; BUILD names the build folder

A chapter's program runs into a folder of its own under BUILD. Faults are listed one a line, and the exit code is 1 if
there are any. What is checked: code and output quoted in the texts, numbers and figures within their tolerances,
English against Chinese, links, formulas, exercises (a stub fails, a solution passes), CPU seconds.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import course
import text

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


class Run:
    """One run of a chapter's program: what it printed in blocks, recorded and drew, and its CPU seconds."""

    def __init__(self, program, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder, self.blocks = folder, {}
        self.status, self.seconds, out, self.error = run([str(program), str(folder)], limit=600)
        try:
            self.blocks = text.regions(out, "[{}]")
            record = json.loads((folder / "numbers.json").read_text())
        except (OSError, ValueError) as error:
            self.error = self.error or str(error)
            record = {"numbers": {}, "blocks": {}, "budget": 0}
            self.status = self.status or 1
        self.numbers, self.tolerances, self.budget = record["numbers"], record["blocks"], record["budget"]
        self.figures = {path.name: path.read_text() for path in sorted(folder.glob("figures/*.svg"))}


def run(command, limit):
    """Exit status, CPU seconds, output and the last line of errors of a command."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(["timeout", str(limit)] + command, stdout=out, stderr=err)
        except OSError as error:
            return 127, 0, "", str(error)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        for file in (out, err):
            file.seek(0)
        lines = err.read().decode(errors="replace").strip().splitlines()
        return (process.returncode, usage.ru_utime + usage.ru_stime, out.read().decode(errors="replace"),
                lines[-1] if lines else "")


def near(old, new, tolerance):
    return tolerance < 0 or abs(float(old) - float(new)) <= tolerance * (1 + 1e-9)


def same_block(old, new, tolerance, moved):
    """Whether two outputs agree but for numbers: within the block's tolerance, or (old, new) pairs in `moved`."""
    if old == new:
        return True
    squeeze = [re.sub(r"(?m) +$", "", re.sub(" +", " ", NUMBER.sub("#", body))) for body in (old, new)]
    pairs = [(a, b) for a, b in zip(NUMBER.findall(old), NUMBER.findall(new)) if a != b]
    return (squeeze[0] == squeeze[1] and bool(pairs) and
            all((a, b) in moved or (tolerance > 0 and near(a, b, tolerance)) for a, b in pairs))


def same_figure(old, new):
    """Whether two pictures have the same parts, with at most a tenth of their numbers more than 10 apart."""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    pairs = list(zip(NUMBER.findall(old), NUMBER.findall(new)))
    return 10 * sum(abs(float(a) - float(b)) > 10 for a, b in pairs) <= len(pairs)


class Chapter:
    def __init__(self, folder, build, update):
        self.folder, self.build, self.update = folder, build, update
        self.faults = []
        self.seconds = 0
        self.run = None

    def fault(self, where, what):
        self.faults.append(f"{where}: {what}")

    def check(self):
        self.run = Run(self.build / "main", self.build / "run")
        self.seconds = self.run.seconds
        if self.run.status:
            self.fault(self.folder / "main.cpp", f"the program ends with {self.run.status}: {self.run.error}")
            return self
        if self.run.seconds > self.run.budget:
            self.fault(self.folder / "main.cpp",
                       f"{self.run.seconds:.1f} CPU seconds, its budget is {self.run.budget:g}")
        committed = self.numbers()
        self.figures()
        names = ["README.md", "README.zh.md"]
        texts = [self.text(self.folder / name, committed) for name in names if (self.folder / name).exists()]
        for name in names:
            if not (self.folder / name).exists():
                self.fault(self.folder / name, "is missing")
        if len(texts) == 2:
            for what, theirs, ours in text.differences(*texts):
                self.fault(texts[1].path, f"{what} differ from the English: {theirs}, here {ours}")
            self.unused(texts[0], committed)
            self.exercises(texts[0])
        return self

    def numbers(self):
        """The committed numbers, after comparing them with the run's or renewing them."""
        path, fresh = self.folder / "numbers.json", self.run.numbers
        old = json.loads(path.read_text())["numbers"] if path.exists() else {}
        if self.update:
            record = json.loads((self.run.folder / "numbers.json").read_text())
            kept = old.get("seconds", {"text": "0"})
            if float(kept["text"]) / 2.5 <= float(fresh["seconds"]["text"]) <= float(kept["text"]):
                record["numbers"]["seconds"] = kept
            text.write(path, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
            return record["numbers"]
        for name in sorted(old.keys() | fresh.keys()):
            if name not in old or name not in fresh:
                self.fault(path, f"{name} is only in the {'run' if name in fresh else 'file'}")
            elif old[name]["tolerance"] != fresh[name]["tolerance"]:
                self.fault(path, f"{name} has another tolerance in the run")
            elif not near(old[name]["text"], fresh[name]["text"], fresh[name]["tolerance"]):
                self.fault(path, f"{name} is {old[name]['text']}, the run says {fresh[name]['text']} "
                           f"(tolerance {fresh[name]['tolerance']:g})")
        return old

    def figures(self):
        folder = self.folder / "figures"
        committed = {path.name: path.read_text() for path in sorted(folder.glob("*.svg"))}
        for name in sorted(committed.keys() | self.run.figures.keys()):
            old, new = committed.get(name), self.run.figures.get(name)
            if new is None:
                self.fault(folder / name, "is not drawn by the program")
            elif self.update:
                if old is None or not same_figure(old, new):
                    folder.mkdir(exist_ok=True)
                    text.write(folder / name, new)
            elif old is None:
                self.fault(folder / name, "is drawn by the program and missing")
            elif not same_figure(old, new):
                self.fault(folder / name, "differs from what the program draws")

    def text(self, path, committed):
        """The text at `path`, after comparing what it quotes with the run, or renewing it."""
        parsed = text.Text(path, path.read_text(encoding="utf-8"))
        edits = []
        for mark in parsed.marks:
            try:
                wanted = self.wanted(mark, committed)
            except LookupError as error:
                self.fault(mark.where, error.args[0])
                continue
            if wanted != mark.body and self.update:
                edits.append((mark.start, mark.end, wanted))
            elif wanted != mark.body and not (mark.kind == "output" and self.same_output(mark, wanted, committed)):
                self.fault(mark.where, f"{mark.name}: {text.first_difference(mark.body, wanted)}")
        if edits:
            content = parsed.content
            for start, end, body in sorted(edits, reverse=True):
                content = content[:start] + body + content[end:]
            text.write(path, content)
            parsed = text.Text(path, content)
        self.faults += parsed.faults()
        return parsed

    def wanted(self, mark, committed):
        """What a mark has to hold. Throws LookupError when the program has nothing by its name."""
        if mark.kind == "n":
            if mark.name not in committed:
                raise LookupError(f"the program has no number {mark.name}")
            return committed[mark.name]["text"]
        if mark.kind == "output":
            if mark.name not in self.run.blocks:
                raise LookupError(f"the program prints no block {mark.name}")
            return self.run.blocks[mark.name]
        file = self.folder / (mark.file or "main.cpp")
        found = text.regions(file.read_text(encoding="utf-8"), "// [{}]") if file.exists() else {}
        if mark.name not in found:
            raise LookupError(f"{file} has no region // [{mark.name}]")
        return found[mark.name]

    def same_output(self, mark, printed, committed):
        fresh = self.run.numbers
        moved = {(old["text"], fresh[name]["text"]) for name, old in committed.items()
                 if name in fresh and near(old["text"], fresh[name]["text"], fresh[name]["tolerance"])}
        return same_block(mark.body, printed, self.run.tolerances[mark.name], moved)

    def unused(self, parsed, committed):
        quoted = {kind: {mark.name for mark in parsed.marks if mark.kind == kind and not mark.file}
                  for kind in ("n", "code", "output")}
        printed = {token for body in self.run.blocks.values() for token in NUMBER.findall(body)}
        for name, entry in committed.items():
            if name not in quoted["n"] and entry["text"] not in printed:
                self.fault(parsed.path, f"does not quote the number {name}")
        for name in self.run.blocks.keys() - quoted["output"]:
            self.fault(parsed.path, f"does not quote the output {name}")
        for name in text.regions((self.folder / "main.cpp").read_text(), "// [{}]").keys() - quoted["code"]:
            self.fault(parsed.path, f"does not quote the code {name}")
        for name in self.run.figures.keys() - {pathlib.Path(image).name for image in parsed.images}:
            self.fault(parsed.path, f"does not show figures/{name}")

    def exercises(self, parsed):
        folder = self.folder / "exercises"
        stated = parsed.exercises
        built = sorted(path.stem.removeprefix("check_") for path in folder.glob("check_*.cpp"))
        if sorted(stated) != built:
            self.fault(parsed.path, f"states exercises {stated}, there are checkers for {built}")
        for number in built:
            stub = folder / f"{number}.cpp"
            if not stub.exists() or "TODO" not in stub.read_text():
                self.fault(stub, "a stub with a TODO is missing")
            for kind, passes in (("exercises", False), ("solutions", True)):
                status, _, out, error = run([str(self.build / kind / number)], limit=60)
                if (status == 0) != passes:
                    self.fault(self.folder / kind / f"{number}.cpp", "the checker passes the stub" if not passes else
                               f"the checker refuses the solution: {first_error(out) or error or status}")
                elif status not in (0, 1):
                    self.fault(self.folder / kind / f"{number}.cpp", f"the checker ends with {status}: {error}")


def first_error(out):
    lines = [line for line in out.splitlines() if "ERROR" in line]
    return lines[0].strip() if lines else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write into the chapters what their programs show")
    parser.add_argument("chapters", nargs="*")
    options = parser.parse_args()
    root, build = pathlib.Path("tutorials"), pathlib.Path(os.environ.get("BUILD", "build")) / "tutorials"
    names = options.chapters or sorted(path.parent.name for path in root.glob("[0-9][0-9]-*/main.cpp"))
    chapters = [Chapter(root / name, build / name, options.update) for name in names]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for chapter in pool.map(Chapter.check, chapters):
            print(f"{chapter.folder}: {chapter.seconds:.1f} CPU s, {len(chapter.faults)} faults", flush=True)
    faults = [fault for chapter in chapters for fault in chapter.faults]
    if not options.chapters:
        faults += course.faults(root, options.update)
    for fault in faults:
        print(fault)
    print(f"{len(chapters)} chapters, {sum(chapter.seconds for chapter in chapters):.0f} CPU seconds, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
