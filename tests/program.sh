#!/bin/bash
# The program as its user meets it: what it prints and writes, exit codes, damaged input, interruptions.
# shellcheck disable=SC1091,SC2012,SC2015,SC2086,SC2154,SC2317  # commands are kept as words; test_case calls the functions
cd "$(dirname "$0")/.." || exit 1
. tests/program/start.sh

# ---- help, version, and calls that make no sense -----------------------------------------------------------------------

prints() {  # prints PATTERN ARGUMENT...: exit code 0, on standard output, nothing on standard error
  pattern=$1
  shift
  works "$heed" "$@" && says "$pattern" out && same "standard error" "$(cat err)" ""
}
test_case "--version" prints '^heed [0-9]+\.[0-9]+\.[0-9]+$' --version
test_case "info" prints '^threads +1$' info
test_case "--help" prints 'pos .*part-of-speech' --help
for command in '' demo ladder train tag eval corpus; do
  test_case "pos $command --help" prints '^Usage: heed pos' pos $command --help
done

alone() {  # without arguments: help with two examples
  works "$heed" && same "standard error" "$(cat err)" "" && same examples "$(grep -c '^  heed [a-z]* [a-z]* ' out)" 2
}
test_case "no arguments: help with two examples" alone
defaults() {
  prints '^ +--lr X +highest learning rate \(0 to 1e\+30; default 0\.002\)$' pos train --help && says '^ +--rung WORD .*\|window\|word; default strong\)$' out &&
    says '^ +--train FILE .*\(required\)$' out && works "$heed" text train --help && says '^ +--pool WORD .*mean\|' out
}
test_case "--help: types, ranges and defaults" defaults

nonsense() {
  fails 2 'no bogus' "$heed" bogus && fails 2 'no bogus' "$heed" pos bogus && fails 2 'no --bogus' "$heed" --bogus &&
    fails 2 'no --bogus' "$heed" pos train --bogus && fails 2 'expected a verb after pos: demo, ladder, train' "$heed" pos &&
    fails 2 'no extra' "$heed" pos eval model dev.conllu extra && fails 2 'no trian; did you mean train\?' "$heed" pos trian &&
    fails 2 'no ttext; did you mean text\?' "$heed" ttext && fails 2 'did you mean --epochs\?' "$heed" pos train --epoch 3 &&
    fails 2 'did you mean --label-smoothing\?' "$heed" pos train --label-smoothign=0 && fails 2 'did you mean dates\?' "$heed" translate train --task daets --out x &&
    fails 2 'did you mean window\?' $strong --rung windwo --out x
}
test_case "unknown subcommands and options" nonsense
missing() {
  fails 2 '--train' "$heed" pos train && fails 2 '--dev' "$heed" pos train --train train.conllu --out x &&
    fails 2 '--out' "$heed" pos train --train train.conllu --dev dev.conllu && fails 2 model "$heed" pos tag &&
    fails 2 file "$heed" pos eval model
}
test_case "options that are missing" missing
bad_values() {
  for value in '--layers 0' '--hidden x' '--window -1' '--layers 1e3' '--hidden 99999999999999999999' '--epochs 0' '--lr -1' '--lr nan' \
    '--lr x' '--dropout 1' '--dropout -0.1' '--batch-tokens 0' '--batch-tokens -5' '--average 1' '--clip 0' \
    '--seed x' '--rung x' '--window 17' '--dropout nan' '--threads 0' '--threads x' '--threads 1025' '--epochs'; do
    fails 2 "${value%% *}" $strong --out never $value || return 1
  done
  fails 2 '--format' "$heed" pos tag model --format xml && fails 2 '--min-accuracy' "$heed" pos eval m f --min-accuracy 101 &&
    fails 2 '--language' "$heed" pos corpus --language fr && fails 2 '--sentences' "$heed" pos corpus --sentences 0 &&
    fails 2 'heads.*divide.*dim' "$heed" pos train $files --out never --dim 10 && [ ! -e never ]
}
test_case "options with bad values" bad_values

# ---- configuration, manual page, completion ----------------------------------------------------------------------------

configuration() {
  echo '{"lr": 0.5, "dim": 24, "heads": 2, "task": "vote:9"}' >config.json
  works "$heed" text train --config config.json --out c --dim 16 --dump-config && [ ! -e c ] && says '"lr": 0.5' out && says '"dim": 16' out &&
    says '"task": "vote:9"' out && says '"epochs": 8' out && cp out whole.json &&
    works "$heed" text train --config=whole.json --dump-config && cmp out whole.json &&
    works "$heed" text train --config whole.json --layers 1 --steps 2 --out c && says '"dim": 16' c/config.json && says '"steps": 2' c/config.json
}
test_case "defaults, then --config, then flags; --dump-config" configuration
bad_configuration() {
  while read -r pattern text; do
    echo "$text" >bad.json
    run "$heed" text train --config bad.json --out never
    [ $code -gt 0 ] && same lines "$(wc -l <err)" 1 && says "^heed: .*$pattern" err && [ ! -e never ] || { echo "for $text"; return 1; }
  done <<'JSON'
object [1]
object {"lr":
text {"lr": {"a": 1}}
text {"lr": [1]}
text {"lr": null}
twice {"lr": 1, "lr": 2}
did.you.mean.layers {"layer": 1}
no.option.resume {"resume": true}
--lr.*expected.a.number {"lr": "x"}
--dim.*whole {"dim": 1.5}
JSON
  fails 1 'nowhere.json' "$heed" text train --config nowhere.json --out never
}
test_case "--config: files that make no sense" bad_configuration

manual() {
  works "$heed" man && cp out page && says '^\.TH HEED 1' page && says '^\.SS pos train$' page &&
    if command -v groff >/dev/null; then same "groff's complaints" "$(groff -man -ww -z -Kutf8 page 2>&1)" ""; fi || return 1
  for option in $("$heed" pos train --help | grep -oE '^ +--[a-z-]+'); do
    grep -qF -e "\\fB${option//-/\\-}\\fR" page || { echo "no $option"; return 1; }
  done
}
test_case "man: every option, and nothing that groff complains of" manual
completes() {  # completes LINE WORD...: what bash offers where the line ends
  read -ra COMP_WORDS <<<"$1"
  [ "${1: -1}" != ' ' ] || COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  shift
  _heed
  for word; do [[ " ${COMPREPLY[*]} " = *" $word "* ]] || { echo "${COMP_WORDS[*]}: no $word in ${COMPREPLY[*]}"; return 1; }; done
}
bash_completes() {
  . <("$heed" completion bash) && completes 'heed ' pos text info --threads && completes 'heed po' pos && completes 'heed pos ' train eval &&
    completes 'heed pos train --l' --lr --layers --label-smoothing && completes 'heed pos train --dim 3 --rung ' word strong &&
    completes 'heed --threads 2 pos train --res' --resume && completes 'heed text train --progress ' auto bar &&
    completes 'heed pos tag --f' --format && COMPREPLY=() && completes 'heed pos train --train ' && same offered "${COMPREPLY[*]}" "" && fails 2 'bash, zsh' "$heed" completion fish
}
test_case "completion bash" bash_completes
zsh_completes() {
  "$heed" completion zsh >_heed && zsh -n _heed && zsh -f -c '
    _describe() { print -rl -- ${(P)2} }
    _arguments() { print -rl -- "$@" }
    ask() { words=("$@"); CURRENT=$#words; _heed; }
    words=(heed ""); CURRENT=2
    . ./_heed; ask heed pos ""; ask heed pos train --rung ""' >offered &&
    says '^pos:part-of-speech tagging$' offered && says '^train:' offered && says '^--rung\[kind of model\]:WORD:\(.*strong.*\)$' offered
}
if command -v zsh >/dev/null; then test_case "completion zsh" zsh_completes; else skip "completion zsh" "no zsh"; fi

# ---- train, tag, eval --------------------------------------------------------------------------------------------------

demo() {
  works "$heed" pos demo --quiet && says '^[0-9]+ parameters; accuracy on 1000 held-out sentences: (99|100)\.[0-9]+ %$' out &&
    says '^I_PRON saw_VERB a_DET saw_NOUN \._PUNCT$' out && says '^next: .*heed pos ' out &&
    same "standard error" "$(cat err)" ""
}
test_case "demo prints accuracy, a tagged sentence, and what to do next" demo

corpus_repeats() {
  "$heed" pos corpus --sentences 300 --seed 1 | cmp - train.conllu && same sentences "$(grep -c '^$' train.conllu)" 300 &&
    ! cmp -s train.conllu <("$heed" pos corpus --sentences 300 --seed 3) &&
    "$heed" pos corpus --sentences 9 --language zh | grep -q '。'
}
test_case "corpus writes the same for the same seed" corpus_repeats

round_trip() {  # round_trip FOLDER LEAST COMMAND...
  folder=$1 least=$2
  shift 2
  works "$@" --out "$folder" --epochs 6 --lr 0.02 --average 0.9 --batch-tokens 200 && says '^best dev accuracy [0-9.]+ %$' out &&
    says "heed pos tag $folder\$" out && says '^ +6 .*%' err && same files "$(ls "$folder" | tr '\n' ' ')" \
    "config.json confusion.svg curves.svg log.jsonl model-best.safetensors model-last.safetensors report.json report.txt vocab.json " && works "$heed" pos eval "$folder" dev.conllu \
    --min-accuracy "$least" && cmp out "$folder/report.txt" && same "lines of the log" "$(wc -l <"$folder/log.jsonl")" 8
}
test_case "train, tag, eval: an encoder" round_trip model 60 $tiny
test_case "train, tag, eval: the strong one" round_trip strong 85 $strong

folder() {
  same first "$(head -n 1 model/log.jsonl | grep -oE '"(version|argv|config|cpu|products|threads|model)":' | tr -d '\n')" \
    '"version":"argv":"config":"cpu":"products":"threads":"model":' && same scores "$(grep -c '^{"epoch":' model/log.jsonl)" 6 &&
    tail -n 1 model/log.jsonl >result && says '^\{"result":\{"end":"done","best":\{"epoch":' result && says '"metrics"' model/report.json &&
    says '"words": \["' model/vocab.json && says '"epochs": 6' model/config.json && works "$heed" pos eval model dev.conllu --json && cmp out model/report.json
}
test_case "the folder: configuration, vocabulary, log and reports" folder

pictures() {
  [ -s strong/curves.svg ] && says '<title>training curves</title>' strong/curves.svg && says 'gold class' strong/confusion.svg &&
    works "$heed" plot strong model --csv && says '^strong,epoch,1,loss,[0-9.]+$' out && says '^model,epoch,1,dev_accuracy,[0-9.]+$' out &&
    works "$heed" plot strong/log.jsonl model -o compared.svg && says '>model</text>' compared.svg &&
    fails 1 'nowhere' "$heed" plot nowhere && fails 1 'train.conllu:1: ' "$heed" plot train.conllu && fails 2 runs "$heed" plot
}
test_case "curves and confusion as pictures, and plot, which compares runs" pictures

shown() {
  works "$heed" pos show strong "I saw a saw ." --gold "PRON VERB DET NOUN PUNCT" && says '<title>pos: strong</title>' attention.html &&
    works "$heed" pos show strong "I saw a saw ." --svg -o shown.svg && says 'saw → saw: 0\.[0-9]{4}' shown.svg &&
    fails 1 'NOPE' "$heed" pos show strong "I saw" --gold "PRON NOPE" && fails 1 '128' "$heed" pos show strong "$(printf 'a %.0s' {1..200})" &&
    fails 1 'no words' "$heed" pos show strong " "
}
test_case "show: attention as a page and as a picture" shown
patience() {
  works $tiny --out patient --epochs 30 --lr 0 --patience 2 && says '^stopped early: 2 scores' err && says '"end":"stopped early"' patient/log.jsonl &&
    same scores "$(grep -c '^{"epoch":' patient/log.jsonl)" 3
}
test_case "--patience" patience
progress() {
  "$heed" pos corpus --sentences 3000 --seed 3 >long.conllu  # an epoch of a tenth of a second draws nothing
  works $tiny --out lines --epochs 2 && ! grep -q $'\r' err && works $tiny_on --train long.conllu --dev dev.conllu --out bar --epochs 1 --batch-tokens 20 --progress bar && grep -q $'\r' err || return 1
  command -v script >/dev/null || return 0
  for locale in C C.UTF-8; do
    LC_ALL=$locale TERM=xterm NO_COLOR=1 timeout 60 script -qec "$tiny_on --train long.conllu --dev dev.conllu --out t --overwrite --batch-tokens 20 --epochs 1" /dev/null </dev/null >screen || return 1
    says '\[[0-9]+:[0-9]+<[0-9:]+, [0-9.]+k words/s, loss' screen && same colours "$(grep -c $'\033\[32m' screen)" 0 &&
      same "block characters" "$(grep -q '█' screen && echo UTF-8 || echo C)" "${locale#C.}" || return 1
  done
  TERM=xterm timeout 60 script -qec "$tiny --out t --overwrite --epochs 1" /dev/null </dev/null >screen && grep -q $'\033\[32mbest' screen
}
test_case "--progress: a bar on a terminal, lines elsewhere" progress

formats() {
  echo "I saw a saw ." >text
  works "$heed" pos tag strong <text && says '^I_[A-Z]+ saw_[A-Z]+ a_[A-Z]+ saw_[A-Z]+ \._PUNCT$' out && tags=$(cat out) &&
    same "lines on standard error" "$(wc -l <err)" 1 &&
    works "$heed" pos tag strong/model-best.safetensors --format tsv <text &&
    same tsv "$(awk -F'\t' 'NF == 2 { printf "%s%s_%s", (NR > 1 ? " " : ""), $1, $2 }' out)" "$tags" && same lines "$(wc -l <out)" 6 &&
    works "$heed" pos tag strong --format conllu <text && cp out tagged.conllu &&
    same conllu "$(awk -F'\t' 'NF == 10 { printf "%s%s_%s", (NR > 1 ? " " : ""), $2, $4 }' out)" "$tags" &&
    works "$heed" pos eval strong tagged.conllu --min-accuracy 100
}
test_case "tag: words, tsv, and CoNLL-U that eval reads" formats

# Ranges, empty nodes, comments, words without a tag and a tag never seen, besides the corpus.
{
  echo '# text = dunno saw it'
  row 1-2 dunno _
  row 1 du VERB
  row 2 nno NEVER
  row 2.1 silent VERB
  row 3 saw _
  row 4 '#' NOUN
  row 5-6 "it's" _
  row 5 it PRON
  row 6 "'s" VERB
  echo
  cat dev.conllu
} >gold.conllu
independent_accuracy() {
  works "$heed" pos eval strong gold.conllu --write predicted.conllu &&
    paste gold.conllu predicted.conllu | awk -F'\t' '
      NF == 20 && $1 ~ /^[0-9]+$/ && $4 != "_" { all++; right += $4 == $14 }
      { for (i = 1; i <= NF / 2; i++) if (i != 4 && $i != $(i + NF / 2)) other++ }
      NF == 20 && $1 !~ /^[0-9]+$/ && $4 != $14 || NF == 20 && $1 ~ /^[0-9]+$/ && $14 == "_" { other++ }
      END { printf "%.2f %%  (%d of %d)%s\n", 100 * right / all, right, all, other ? " and other differences" : "" }' >own &&
    same accuracy "$(sed -n 's/^accuracy *//p' out)" "$(cat own)" && same lines "$(wc -l <predicted.conllu)" "$(wc -l <gold.conllu)" &&
    says '^tag NEVER was never seen' out && says '^1 words? without a gold tag' out
}
test_case "eval --write: the accuracy is that of an independent count, nothing but tags changes" independent_accuracy
bar() {
  works "$heed" pos eval strong dev.conllu --min-accuracy 10 && run "$heed" pos eval strong dev.conllu --min-accuracy 100 &&
    same "exit code" $code 1 && says '^accuracy' out
}
test_case "eval --min-accuracy" bar

# ---- nothing is overwritten, runs go on --------------------------------------------------------------------------------

held() {
  cp -r model kept && fails 2 'already holds a run.*--resume.*--overwrite' $tiny --out kept &&
    fails 2 exclude $tiny --out kept --overwrite --resume && fails 1 'no such file' $tiny_on --train nowhere --dev dev.conllu --out kept --overwrite &&
    fails 2 'heads' "$heed" pos train $files --out kept --overwrite --dim 10 && diff -r model kept && fails 2 'nothing to resume' $tiny --out new --resume &&
    works $tiny --out kept --overwrite --epochs 1 && ! cmp -s model/model-best.safetensors kept/model-best.safetensors
}
test_case "a folder that holds a model is left alone without --overwrite or --resume" held
other_options() {
  cp -r model other && fails 2 'cannot resume' $strong --out other --resume && ends 1 'options of training differ' $tiny --out other \
    --resume --epochs 3 && diff -r model other
}
test_case "--resume with other options is refused" other_options

# Long enough to be interrupted.
long="$heed pos train $files --dim 32 --hidden 128 --epochs 10 --batch-tokens 40"
works $long --out straight || cat err

interrupted() {  # interrupted SIGNAL LOG_PATTERN CODE: in the epoch after the pattern stands in the log; then as it says
  rm -rf run
  start $long --out run
  until_there run/log.jsonl "$2" && sleep 0.1 && kill -"$1" $started
  finish
  same "exit code" $code "$3" && says '^interrupted at step [0-9]+ of [0-9]+; go on with:$' err && same "standard output" "$(cat out)" "" &&
    works $(tail -n 1 err) && cmp straight/model-best.safetensors run/model-best.safetensors &&
    cmp straight/model-last.safetensors run/model-last.safetensors
}
test_case "SIGINT in the first epoch, then --resume: the same bits" interrupted INT '"seed"' 130
test_case "SIGTERM in a later epoch, then --resume: the same bits" interrupted TERM '"epoch":2' 143
finished() { works $long --out straight --resume && cmp run/model-last.safetensors straight/model-last.safetensors && says '^best dev' out; }
test_case "--resume of a finished run changes nothing" finished

killed() {  # a run that saves as often as it can is killed again and again; what is there is always whole
  often="$tiny --batch-tokens 100000 --epochs 100000 --quiet"
  start $often --out killed
  for pause in 0.31 0.17 0.23 0.19 0.37; do
    until_there killed/log.jsonl '"epoch":2,' && sleep $pause
    kill -KILL $started
    wait $started 2>/dev/null
    works "$heed" pos eval killed dev.conllu && works "$heed" pos tag killed/model-last.safetensors </dev/null || return 1
    start $often --out killed --resume
    until_there err '^epoch' && sleep 0.1
  done
  kill -INT $started
  finish
  same "exit code" $code 130
}
test_case "kill -9 never leaves a broken model" killed

same_seed() {
  works $strong --out one --epochs 1 && works $strong --out two --epochs 1 --threads 2 &&
    works env HEED_THREADS=2 $strong --out three --epochs 1 && works $strong --out four --epochs 1 --seed 2 &&
    cmp one/model-best.safetensors two/model-best.safetensors && cmp one/model-last.safetensors two/model-last.safetensors &&
    cmp one/model-last.safetensors three/model-last.safetensors && ! cmp -s one/model-best.safetensors four/model-best.safetensors
}
test_case "the same seed gives the same bits with one thread and with two" same_seed
threads_variable() {
  fails 1 'HEED_THREADS.*abc' env HEED_THREADS=abc "$heed" info && fails 1 'HEED_THREADS' env HEED_THREADS=0 "$heed" info &&
    works env HEED_THREADS=3 "$heed" info && says '^threads +3$' out && works env HEED_THREADS=3 "$heed" --threads 2 info &&
    says '^threads +2$' out
}
test_case "--threads and HEED_THREADS" threads_variable

not_a_number() {
  # One batch an epoch: the first epoch is saved, the second step fails.
  ends 1 '^heed: training stopped at step 2: the loss is (NaN|infinite); .*parameter.*; sentences:( [0-9]+)+$' \
    $tiny --out nan --lr 1e30 --batch-tokens 100000 --epochs 3 && says '^ +1 ' err && works "$heed" pos eval nan dev.conllu &&
    same "epochs saved" "$(grep -c '"epoch"' nan/log.jsonl)" 1 && same files "$(ls nan | tr '\n' ' ')" \
    "config.json log.jsonl model-best.safetensors model-last.safetensors report.json report.txt vocab.json "
}
test_case "a loss that is not finite stops training; what was saved stays" not_a_number

# ---- bad input ---------------------------------------------------------------------------------------------------------

: >empty
head -c 1000 dev.conllu >half
head -c 4000 /dev/zero >zeros
head -c 4000 "$heed" >binary
awk 'BEGIN { srand(7); for (i = 0; i < 4000; i++) printf "%c", 128 + int(128 * rand()) }' >noise
{ row 1 a DET && row 2 b NOUN | cut -f 1-9; } >nine
{ row 1 a DET && row 2 b NOUN | sed 's/$/\t_/'; } >eleven
{ row 1 a DET && row 2 b NOUN && row 4 c NOUN; } >jump
awk -F'\t' -v OFS='\t' 'NF == 10 { $4 = "_" } 1' dev.conllu >untagged
{ printf '\357\273\277' && sed 's/$/\r/' dev.conllu; } >crlf.conllu

bad_files() {
  while read -r file pattern; do
    fails 1 "$pattern" "$heed" pos eval strong $file && fails 1 "$pattern" $tiny_on --train $file --dev dev.conllu --out bad &&
      fails 1 "$pattern" $tiny_on --train train.conllu --dev $file --out bad || return 1
  done <<'END'
nowhere nowhere.*no such file
tmp tmp.*directory
empty empty: the file is empty
half half:[0-9]+: .*columns.*incomplete
zeros zeros:1: NUL
binary binary:[0-9]+:
noise noise:1: invalid UTF-8
nine nine:2: expected 10 columns.*found 9
eleven eleven:2: expected 10 columns.*found 11
jump jump:3: expected id 3.*found 4
END
  [ ! -e bad/model-best.safetensors ]
}
test_case "train and eval: files that are none" bad_files
skip_bad() {
  { row 1 a DET && row 3 b NOUN && echo && cat train.conllu; } >partly
  fails 1 'partly:2' $tiny_on --train partly --dev dev.conllu --out partly.out && ends 0 best $tiny_on --train partly --dev dev.conllu --out partly.out --epochs 1 --skip-bad &&
    says '^skipped: .*partly:2: ' err && says '^partly: 1 sentences? skipped' err && says '^300 sentences' err
}
test_case "train --skip-bad" skip_bad
crlf() {
  works "$heed" pos eval strong crlf.conllu --write crlf.out && cp out crlf.report && works "$heed" pos eval strong dev.conllu --write lf.out &&
    cmp out crlf.report && cmp lf.out crlf.out && ! grep -q $'\r' crlf.out
}
test_case "a byte-order mark and CRLF change nothing" crlf
no_tags() {
  works "$heed" pos eval strong untagged --write filled && says 'nothing to score' out && ! awk -F'\t' '$4 == "_"' filled | grep . &&
    fails 1 'tag' $tiny_on --train untagged --dev dev.conllu --out untagged.out && fails 1 'untagged: no word has a tag' $tiny_on --train train.conllu --dev untagged --out untagged.out &&
    run "$heed" pos eval strong untagged --min-accuracy 1 && same "exit code" $code 1
}
test_case "a file with no tag but _" no_tags
unseen_tag() {
  sed 's/\tADJ\t/\tNEVER\t/' dev.conllu >unseen
  works "$heed" pos eval strong unseen && says '^tag NEVER was never seen in training' out &&
    ends 0 best $tiny_on --train train.conllu --dev unseen --out unseen.out --epochs 1
}
test_case "a tag that training never saw" unseen_tag

bad_models() {
  cp strong/model-best.safetensors whole
  head -c 20000 whole >short.safetensors
  head -c 5 whole >tiny.safetensors
  { cat whole && echo; } >longer.safetensors
  header='{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}  '
  { printf "\\x$(printf %x ${#header})\0\0\0\0\0\0\0%s" "$header" && head -c 4 /dev/zero; } >foreign.safetensors
  sed 's/heed\.pos\.1/heed.pos.9/' whole >future.safetensors
  sed 's/\\"dim\\":16/\\"dim\\":18/' whole >damaged.safetensors
  while read -r file pattern; do
    fails 1 "$pattern" "$heed" pos eval $file dev.conllu && fails 1 "$pattern" "$heed" pos tag $file || return 1
  done <<'END'
nowhere nowhere.*no such file
tmp tmp/model-best.safetensors.*no such file
empty empty.*8 bytes
dev.conllu dev.conllu.*not a safetensors file
zeros zeros
noise noise.*not a safetensors file
short.safetensors short.safetensors.*cut short
tiny.safetensors tiny.safetensors
longer.safetensors longer.safetensors.*behind the end
foreign.safetensors not a tagger
future.safetensors heed.pos.9
damaged.safetensors shape
END
}
test_case "eval and tag: models that are none" bad_models

seq 20000 | awk -v OFS='\t' '{ stop = $1 % 5 == 0; print $1, stop ? "." : "saw", "_", stop ? "PUNCT" : "VERB", "_", "_", "_", "_", "_", "_" }
  END { print "" }' >endless.conllu
awk -F'\t' 'NF == 10 { printf "%s ", $2 }' endless.conllu >endless.txt
endless() {
  ulimit -v 1500000
  works "$heed" pos eval strong endless.conllu --write endless.out && says '\([0-9]+ of 20000\)' out &&
    works "$heed" pos tag strong <endless.txt && same words "$(tr ' ' '\n' <out | grep -c _)" 20000 &&
    same tags "$(tr ' ' '\n' <out | sed 's/.*_//' | grep .)" "$(cut -f 4 endless.out | grep .)" &&
    same "full stops" "$(tr ' ' '\n' <out | grep -c '^\._PUNCT$')" 4000 &&
    cat train.conllu endless.conllu >with_endless && ends 0 best $tiny_on --train with_endless --dev endless.conllu --out endless --epochs 1
}
test_case "a sentence of 20 000 words, in 1.5 GB" endless

odd_input() {
  works "$heed" pos tag strong </dev/null && same "output of nothing" "$(cat out)" "" &&
    works "$heed" pos tag strong < <(printf '\n\nI saw .\n   \nyou saw\r\nend') && same "blank lines" "$(sed 's/_[A-Z]*//g' out)" \
    $'\n\nI saw .\n\nyou saw\nend' && works "$heed" pos tag strong < <(head -c 300000 /dev/zero | tr '\0' x) &&
    same "long word" "$(wc -c <out)" "$(($(sed 's/.*_//' out | wc -c) + 300001))" &&
    works "$heed" pos tag strong < <(printf 'a_b \303\251t\303\251 \360\237\246\206 <unk> <pad> # 1-2 _\n') && same words "$(wc -w <out)" 8
}
test_case "tag: no input, blank lines, a very long word, odd words" odd_input
bad_input() {
  printf 'I saw .\nyou \377 saw\nend\n' >invalid
  printf 'I saw .\nyou \0 saw\nend\n' >nul
  for kind in 'invalid UTF-8' NUL; do
    run "$heed" pos tag strong <"$([ "$kind" = NUL ] && echo nul || echo invalid)"
    same "exit code" $code 1 && same "lines tagged before" "$(wc -l <out)" 1 && same lines "$(wc -l <err)" 1 &&
      says "^heed: standard input, line 2: .*$kind" err || return 1
  done
  run "$heed" pos tag strong < <(head -c 17000000 /dev/zero | tr '\0' x) && same "exit code" $code 1 && says 'line 1.*MiB' err
}
test_case "tag: invalid UTF-8, NUL, a line without end" bad_input
promptly() {  # each sentence is tagged when it is there, not at the end
  mkfifo in
  "$heed" pos tag strong <in >prompt 2>err &
  started=$!
  exec 3>in
  echo "I saw a saw ." >&3
  until_there prompt PUNCT
  status=$?
  exec 3>&-
  finish
  same "exit code" $code 0 && return $status
}
test_case "tag answers line by line" promptly

# ---- the other models --------------------------------------------------------------------------------------------------

small="--dim 8 --heads 2 --hidden 16 --layers 1 --steps 6 --evaluate 3 --batch-tokens 300 --quiet"
other_model() {  # other_model NAME TASK OPTION...: data on disk, train on it, the same again after --resume, eval, predict
  model=$1 task=$2
  shift 2
  rm -rf m
  works "$heed" data "$task" --out train.jsonl --count 60 && works "$heed" data "$task" --out dev.jsonl --count 20 --split dev &&
    works "$heed" "$model" train --train train.jsonl --dev dev.jsonl --out m $small "$@" && says '^best ' out &&
    says "heed $model eval m\$" out && [ -s m/curves.svg ] && same files "$(ls m | grep -v svg | tr '\n' ' ')" "config.json log.jsonl model-best.safetensors model-last.safetensors report.json report.txt vocab.json " &&
    works "$heed" "$model" eval m dev.jsonl && cmp out m/report.txt && works "$heed" "$model" predict m dev.jsonl &&
    same answers "$(wc -l <out)" 20 && fails 2 'already holds a run' "$heed" "$model" train --train train.jsonl --dev dev.jsonl --out m $small "$@" &&
    cp m/model-last.safetensors kept.last && works "$heed" "$model" train --train train.jsonl --dev dev.jsonl --out m $small "$@" --resume &&
    cmp kept.last m/model-last.safetensors
}
test_case "text: data, train, eval, predict" other_model text listops
test_case "text with another mixer" other_model text vote:12 --mixer linear --positions learned
test_case "speech" other_model speech phones:20
test_case "image" other_model image shapes:8 --patch 4
test_case "graph" other_model graph molecules
test_case "lm" other_model lm causal_copy:5
test_case "translate" other_model translate reverse:4
test_case "detect" other_model detect boxes --patch 4

too_long() {
  "$heed" data parity_whole:6 --count 1 --out one.jsonl
  { head -n 1 one.jsonl && printf '{"symbols":[' && yes 1, | head -n 999999 | tr -d '\n' && echo '1],"targets":[0]}'; } >million.jsonl
  fails 1 'item 1 has 1000000 positions, expected at most 65536; .*--max-tokens' "$heed" text train --train million.jsonl --dev one.jsonl --out long $small &&
    fails 1 'item 1 has 1000000 positions' "$heed" text train --train one.jsonl --dev million.jsonl --out long $small &&
    works "$heed" text train --train one.jsonl --dev one.jsonl --out long $small && fails 1 'has 1000000 positions' "$heed" text eval long million.jsonl &&
    fails 1 'has 6 positions, expected at most 5' "$heed" text predict long one.jsonl --max-tokens 5
}
test_case "fault 95: an item of a million positions is refused before anything is computed" too_long
data_repeats() {
  works "$heed" data dates --out one.jsonl --count 30 --seed 3 && works "$heed" data dates --out two.jsonl --count 30 --seed 3 &&
    cmp one.jsonl two.jsonl && works "$heed" data dates --out two.jsonl --count 30 --seed 4 && ! cmp -s one.jsonl two.jsonl &&
    fails 2 'no task .nothing' "$heed" data nothing --out three.jsonl && fails 2 '--out' "$heed" data dates
}
test_case "data writes the same for the same seed" data_repeats
wrong_settings() {
  for value in '--dim 0' '--dim x' '--dropout 1' '--pool some' '--mixer' '--steps -1'; do
    fails 2 "${value%% *}" "$heed" text train --out never $value || return 1
  done
  fails 1 'no kind "bogus"|bogus' "$heed" text train --task parity:4 --out never --mixer bogus && fails 2 'go together' "$heed" text train --train one.jsonl --out never &&
    fails 1 'has format heed.text.1, expected heed.image.1' "$heed" image eval text.model one.jsonl
}
"$heed" text train --task parity:4 --out text.model --dim 8 --heads 2 --hidden 8 --layers 1 --steps 2 --quiet >/dev/null 2>&1
test_case "settings that make no sense, and models of another kind" wrong_settings
lm_text() {
  seq 500 >numbers.txt
  works "$heed" lm train --train numbers.txt --dev numbers.txt --out lm.model $small && says '^best dev bits [0-9.]+$' out &&
    works "$heed" lm sample lm.model --prompt 12 --length 20 --seed 2 && mv out sampled && same bytes "$(head -c 2 sampled)" 12 &&
    works "$heed" lm sample lm.model --prompt 12 --length 20 --seed 2 && cmp sampled out &&
    works "$heed" lm sample lm.model --prompt 12 --length 20 --seed 3 --temperature 2 --top-k 50 --top-p 0.9 && ! cmp -s sampled out &&
    fails 2 prompt "$heed" lm sample lm.model --prompt ''
}
test_case "lm: a text file, and text made from it" lm_text
words_of_text() {
  seq 200 | awk '{ print "the " ($1 % 2 ? "cat" : "dog") " sees the " ($1 % 3 ? "tree" : "rose") }' >animals.txt
  works "$heed" words train --train animals.txt --dev animals.txt --out words.model --epochs 2 --quiet && says '^best dev loss' out &&
    works "$heed" words neighbours words.model cat --count 2 && says '^cat:( [a-z]+ -?[0-9.]+){2}$' out &&
    works "$heed" words map words.model --out map.svg && says '>rose</text>' map.svg && fails 1 'does not know "bird"' "$heed" words neighbours words.model bird
}
test_case "words: a text file, neighbours, and a map" words_of_text

# ---- where nothing can be written --------------------------------------------------------------------------------------

full_disk() {
  for command in --help --version info 'pos corpus' 'pos corpus --sentences 3' 'pos eval strong dev.conllu' 'pos tag strong' \
    "${tiny#* } --out full --overwrite --epochs 1"; do
    timeout 60 "$heed" $command <text >/dev/full 2>err
    same "exit code of '$command'" $? 1 && tail -n 1 err >last && says '^heed: .*writ' last || return 1
  done
}
if [ -w /dev/full ]; then
  test_case "standard output on a full disk" full_disk
  test_case "eval --write on a full disk" fails 1 'writ' "$heed" pos eval strong dev.conllu --write /dev/full
else
  skip "standard output on a full disk" "no /dev/full"
fi
no_folder() {
  fails 1 'cannot create dev.conllu' $tiny --out dev.conllu && fails 1 'cannot create empty/sub' $tiny --out empty/sub &&
    fails 1 'cannot create nowhere/x' "$heed" pos eval strong dev.conllu --write nowhere/x &&
    mkdir -p blocked/log.jsonl/x && fails 1 'blocked/log.jsonl' $tiny --out blocked
}
test_case "folders and files that cannot be made" no_folder

leftovers() { ! find . -name '*.tmp*' -not -path './killed/*' | grep . && same "temporary files" "$(ls -A tmp)" ""; }
test_case "no temporary files are left" leftovers
