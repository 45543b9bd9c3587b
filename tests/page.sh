#!/bin/bash
# The attention page in a browser without a network: no error, the library's numbers, every key and button.
# shellcheck disable=SC1091,SC2015,SC2016,SC2034,SC2317  # test_case calls the functions
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

heed=$(realpath "${BUILD:-build}")/heed
[ -x "$heed" ] || { echo "not ok - $heed is not built"; exit 1; }
for name in chromium chromium-browser google-chrome; do
  [ -n "$browser" ] || browser=$(command -v "$name")
done
[ -n "$browser" ] || { skip "the attention page in a browser" "no Chromium: make deps DEV=1"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export HEED_THREADS=1 HOME=$scratch
offline=()
unshare -rn true 2>/dev/null && offline=(unshare -rn)

# dom FILE: what the page has become when its scripts have run; what the browser's console got is in the file console.
dom() {
  timeout 500 "${offline[@]}" "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --disable-background-networking --host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr --user-data-dir="$scratch/browser" \
    --virtual-time-budget=20000 --dump-dom "file://$scratch/$1" 2>stderr
  grep 'CONSOLE' stderr | grep -v 'source: chrome:' >console  # not what its own pages say
}

# probed PAGE: the page with a script behind it that walks through everything and tells what it saw.
probed() {
  sed '/<\/body>/,$d' "$1"
  cat <<'SCRIPT'
<pre id="seen"></pre>
<script>
const seen = [], tell = (...words) => seen.push(words.join(" "));
const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
const all = (selector) => [...document.querySelectorAll(selector)];
try {
  for (const a of data.attention.keys()) for (const h of Array(data.attention[a].heads).keys()) {
    set({view: "matrix", attention: a, head: h, query: 1});
    for (const title of all("#view title")) tell("cell", title.textContent);
    set({view: "steps", step: 11});
    for (const line of all("#table tr").slice(1)) tell("step", a, h, line.children[3].textContent);
    set({view: "arcs"});
    tell("arcs", all("#view path").length > 0);
    set({view: "heads", cut: true});
    tell("cut", a, h, all(".changed").length, document.getElementById("note").textContent.includes("loss"));
    set({cut: false});
  }
  set({view: "heads", attention: 0, head: 0, query: 0, step: 0});
  tell("grid", all("#view canvas").length);
  press("ArrowRight"), tell("head", state.head), press("ArrowLeft"), press("ArrowDown"), tell("attention", state.attention);
  press("j"), tell("token", state.query, all(".word[aria-pressed=true]").length), press("k");
  press("3"), tell("view", state.view), press("n"), tell("view", state.view, state.step), press("p");
  press("g"), tell("gradient", state.gradient), press("x"), tell("cut", state.cut), press("x"), press("g");
  press("d"), tell("theme", document.documentElement.className), press("d"), tell("theme", document.documentElement.className);
  document.querySelector("#view button, #tabs button").click(), tell("clicked");
  all("#words button")[2].click(), tell("word", state.query);
  tell("requests", performance.getEntriesByType("resource").filter((e) => !e.name.startsWith("data:")).length);
  tell("done");
} catch (error) { tell("error", error.message); }
document.getElementById("seen").textContent = "\n" + seen.join("\n") + "\n";
</script>
</body>
</html>
SCRIPT
}

says() { grep -qE -e "$1" "$2" || { echo "no line of $2 matches '$1':"; head -c 3000 "$2"; return 1; }; }
lines_of() { sed -n "s/^$1 //p" seen; }

"$heed" pos corpus --sentences 200 --seed 1 >train.conllu &&
  "$heed" pos train --train train.conllu --dev train.conllu --rung encoder --dim 16 --heads 2 --hidden 16 --epochs 1 --out model \
    >log 2>&1 || { echo "not ok - a model to show"; sed 's/^/#   /' log; exit 1; }

# visit WORDS [OPTION...]: the page of a sentence, and what the probe saw of it.
visit() {
  "$heed" pos show model "$@" -o page.html 2>err && "$heed" pos show model "$1" --svg -o page.svg 2>>err || { cat err; return 1; }
  probed page.html >probed.html
  dom probed.html >dom.html
  sed -n '/<pre id="seen">/,/<\/pre>/p' dom.html | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >seen
  says '^done$' seen && { [ ! -s console ] || { cat console; return 1; }; }
}

english() { visit "I saw a saw ." --gold "PRON VERB DET NOUN PUNCT"; }
test_case "a sentence: the page works without a network, and the console stays empty" english

numbers() {
  sed -n 's/.*<title>\([^<]* → [^<]*\)<\/title>.*/\1/p' page.svg | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >expected
  lines_of cell >actual
  [ "$(wc -l <expected)" = 100 ] && diff expected actual
}
test_case "its numbers are those of the picture that the library draws" numbers

step_numbers() {  # of the second token, the weights of the steps
  awk 'NR % 25 >= 6 && NR % 25 <= 10 {print $NF}' expected >expected_steps
  lines_of step | awk '{print $3}' | diff expected_steps -
}
test_case "its steps show the same weights" step_numbers

controls() {
  for line in 'head 1' 'attention 1' 'token 1 1' 'view matrix' 'view steps 1' 'gradient true' 'cut true' 'word 2' 'requests 0' \
    'grid 4' 'clicked'; do
    says "^$line$" seen || return 1
  done
  [ "$(grep -c '^theme' seen)" = 2 ] && [ "$(grep '^theme' seen | sort -u | wc -l)" = 2 ] || { grep theme seen; return 1; }
  [ "$(grep -c '^cut [01] [01] [0-9]* true' seen)" = 4 ] || { grep cut seen; return 1; }
  says '^arcs true' seen
}
test_case "keys, buttons, and heads that are cut out" controls

chinese() { visit "我 看见 一 把 <锯子> & 。" && says '^cell 我 → <锯子>: 0\.[0-9]{4}$' seen && numbers_of_any; }
numbers_of_any() {
  sed -n 's/.*<title>\([^<]* → [^<]*\)<\/title>.*/\1/p' page.svg | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >expected
  lines_of cell | diff expected -
}
test_case "Chinese and marks of HTML" chinese

long() { visit "$(for i in $(seq 20); do printf 'the dog saw '; done)" && numbers_of_any; }
test_case "60 tokens" long
