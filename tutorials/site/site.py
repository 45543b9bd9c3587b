#!/usr/bin/env python3
"""Makes the tutorials a folder of HTML pages that need no network, with formulas as MathML (by pandoc).

site.py OUT   from the project's root. Each text becomes a page in its language; figures are copied, and files of the
project that a text links to become pages of plain text. Says what is wrong with a link, and then ends with 1.
"""
import html
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGES = {"README.md": ("en", "index.html"), "README.zh.md": ("zh-Hans", "index.zh.html")}
LINK = re.compile(r'(href|src)="([^"]+)"')


def pandoc(path, *options):
    return subprocess.run(["pandoc", "--from=gfm+tex_math_dollars+east_asian_line_breaks", "--to=html5", "--mathml", *options,
                           str(path)], capture_output=True, text=True, encoding="utf-8", check=True).stdout


class Site:
    def __init__(self, root, out):
        self.root, self.out, self.faults, self.sources = root, out, [], set()
        folders = [path.parent for path in sorted(root.glob("[0-9][0-9]-*/README.md"))]
        self.chapters = [path.name for path in folders]
        self.texts = [root / name for name in PAGES] + [path / name for path in folders for name in PAGES]

    def make(self):
        shutil.rmtree(self.out, ignore_errors=True)
        for path in self.texts:
            self.page(path)
        for path in sorted(self.sources):
            self.source(path)
        shutil.copy(HERE / "style.css", self.out / "style.css")

    def page(self, path):
        language, name = PAGES[path.name]
        folder = path.parent.relative_to(self.root)
        to_root = "../" if folder.name else ""
        title = path.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")
        page = pandoc(path, f"--template={HERE / 'page.html'}", f"--metadata=pagetitle:{title}", f"--metadata=lang:{language}",
                      f"--variable=root:{to_root}", f"--variable=menu:{self.menu(folder.name, name, to_root)}")
        page = LINK.sub(lambda m: f'{m[1]}="{self.target(path, folder, m[2])}"', page)
        target = self.out / folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8")

    def menu(self, chapter, name, to_root):
        """Links to the course, to the chapters before and after, and to the other language."""
        other, label = ("index.zh.html", "中文") if name == "index.html" else ("index.html", "English")
        course = "The course" if name == "index.html" else "教程"
        links = [(f"{to_root}{name}", course)]
        if chapter:
            at = self.chapters.index(chapter)
            links += [(f"../{self.chapters[at - 1]}/{name}", "← " + self.chapters[at - 1][:2])] if at > 0 else []
            links += [(f"../{after}/{name}", after[:2] + " →") for after in self.chapters[at + 1:at + 2]]
        return " ".join(f'<a href="{link}">{text}</a>' for link, text in links + [(other, label)])

    def target(self, path, folder, link):
        """Where a link of a text leads in the site."""
        file, mark, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or not file or file.endswith((".html", ".css")):
            return link
        place = posixpath.normpath(posixpath.join(path.parent.as_posix(), file))
        inside = pathlib.Path(place)
        if inside.name in PAGES and inside in self.texts:
            return file.removesuffix(inside.name) + PAGES[inside.name][1] + mark + anchor
        if inside.suffix == ".svg" and inside.is_file():
            copy = self.out / inside.relative_to(self.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(inside, copy)
            return link
        if not inside.exists():
            self.faults.append(f"{path}: a dead link: {link}")
            return link
        self.sources.add(place)
        return ("../" if folder.name else "") + f"source/{place}.html"

    def source(self, place):
        path = pathlib.Path(place)
        text = "\n".join(sorted(p.name for p in path.iterdir())) if path.is_dir() else path.read_text(encoding="utf-8")
        target = self.out / "source" / (place + ".html")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{place}</title>'
                          f'<link rel="stylesheet" href="{"../" * (place.count("/") + 1)}style.css"></head>\n'
                          f"<body><main><h1>{place}</h1>\n<pre>{html.escape(text)}</pre></main></body></html>\n", encoding="utf-8")


def dead_links(out):
    """Links of the finished pages that lead nowhere."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(out.rglob("*.html"))}
    for path, page in pages.items():
        for _, link in LINK.findall(page):
            file, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            target = (path.parent / file).resolve() if file else path.resolve()
            if not target.is_file() or (anchor and f'id="{anchor}"' not in target.read_text(encoding="utf-8")):
                yield f"{path}: a dead link: {link}"


def main():
    out = pathlib.Path(sys.argv[1])
    site = Site(pathlib.Path("tutorials"), out)
    site.make()
    faults = site.faults + list(dead_links(out))
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{out}/index.html: {len(site.texts)} pages, {len(site.sources)} files of the project")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
