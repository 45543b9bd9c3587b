#!/bin/bash
# The tutorials as a folder of pages, in a browser without a network: no error, every link, picture and formula.
# shellcheck disable=SC2317  # test_case calls the functions
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

command -v pandoc >/dev/null || { skip "the tutorials as pages" "no pandoc: make deps DEV=1"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
site=$scratch/site
test_case "the pages are made, and every link of them leads somewhere" tutorials/site/site.py "$site"

for name in chromium chromium-browser google-chrome; do
  [ -n "$browser" ] || browser=$(command -v "$name")
done
[ -n "$browser" ] || { skip "the pages in a browser" "no Chromium: make deps DEV=1"; exit 0; }
offline=()
unshare -rn true 2>/dev/null && offline=(unshare -rn)

# One page that opens all others, one after the other, and tells what it sees in them.
pages=$(cd "$site" && find . -name '*.html' ! -path './source/*' | sort | sed 's/.*/"&",/' | tr -d '\n')
cat >"$site/probe.html" <<PROBE
<!doctype html><meta charset="utf-8"><iframe id="frame" width="800" height="600"></iframe><pre id="seen"></pre>
<script>
const pages = [$pages], frame = document.getElementById("frame"), seen = document.getElementById("seen");
const tell = (...words) => seen.append(words.join(" ") + "\n");
async function look() {
  for (const page of pages) {
    await new Promise((loaded) => { frame.onload = loaded; frame.src = page; });
    const inside = frame.contentDocument;
    for (const image of inside.images) if (!image.complete || !image.naturalWidth) tell("no picture", page, image.src);
    for (const formula of inside.querySelectorAll("math")) if (!formula.getBoundingClientRect().height) tell("no formula", page);
    if (!inside.querySelector("main h1") || !inside.styleSheets.length) tell("no page", page);
    if (/\\\$[^\\\$]+\\\$/.test([...inside.querySelectorAll("p, li")].map((e) => e.innerText).join("\n"))) tell("no MathML", page);
  }
  tell("looked at", pages.length);
}
look();
</script>
PROBE

in_browser() {
  HOME=$scratch timeout 500 "${offline[@]}" "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --disable-background-networking --host-resolver-rules='MAP * ~NOTFOUND' --allow-file-access-from-files \
    --enable-logging=stderr --user-data-dir="$scratch/browser" --virtual-time-budget=60000 \
    --dump-dom "file://$site/probe.html" >"$scratch/dom" 2>"$scratch/stderr"
  grep -q 'looked at' "$scratch/dom" || { echo "the browser did not get to the end"; return 1; }
  ! { grep -o 'no \(picture\|formula\|page\|MathML\) .*' "$scratch/dom"; grep CONSOLE "$scratch/stderr" | grep -v 'source: chrome:'; } | grep .
}
test_case "every page, picture and formula shows, without errors and without a network" in_browser
