#!/usr/bin/env python3
"""errors.py FOLDER...: every error message of these sources stands in a test. Prints those that do not, and fails if there are
any. A message is known by its longest piece of fixed text; it is driven where a test quotes that piece."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALL = re.compile(r"\b(?:check|fail|fault|bad|throw (?:Error|DataError|UsageError))\(")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# What no test can bring about, and why.
OUT_OF_REACH = {
    "oneDNN answers": "oneDNN refuses nothing that passes the checks before it",
    "the gradient is not finite (HEED_CHECK_NAN)": "decided once in a process; tests of --detect-anomaly see it",
    "the result is not finite (HEED_CHECK_NAN)": "the same",
}


def code(path):
    text = re.sub(r"(?m)(?<![:\"])//.*$", "", path.read_text(encoding="utf-8", errors="replace"))
    return re.sub(r"'\\?\"'", '"x"', re.sub(r'"\s*\n\s*"', "", text))


def arguments(text, begin):
    """What stands between the parenthesis before `begin` and the one that closes it."""
    depth, i = 1, begin
    while depth and i < len(text):
        string = STRING.match(text, i) if text[i] == '"' else None
        if string:
            i = string.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
    return text[begin:i - 1]


def messages(folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.?pp")):
            text = code(path)
            for call in CALL.finditer(text):
                if re.search(r"(?:void|auto) $", text[:call.start()]):
                    continue
                pieces = [piece.replace('\\"', '"').strip(" ,;:.") for piece in STRING.findall(arguments(text, call.end()))]
                pieces = [piece for piece in pieces if " " in piece]
                if pieces:
                    yield f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, call.start()) + 1}", max(pieces, key=len)


def main(folders):
    quoted = "".join(code(path).replace('\\"', '"') for path in sorted((ROOT / "tests").rglob("*.?pp")))
    quoted += "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("*.sh")))
    missing, count = 0, 0
    for place, piece in messages(folders):
        count += 1
        if piece not in quoted and piece not in OUT_OF_REACH:
            missing += 1
            print(f"{place}: no test quotes \"{piece}\"")
    print(f"{count - missing} of {count} messages are driven by tests")
    return missing > 0 or count == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
