#!/bin/bash
# A run that is killed at any moment, or whose disk fills up, ends after --resume with the bits of one that was not.
# KILLS says how often it is killed, SEED when.
# shellcheck disable=SC1091,SC2015,SC2086,SC2154,SC2317  # commands are kept as words; test_case calls the functions
cd "$(dirname "$0")/.." || exit 1
. tests/program/start.sh

RANDOM=${SEED:-1}
left=${KILLS:-50}

# Many weights and few items: it spends much of its time saving.
"$heed" data vote:6 --count 60 --out train.jsonl && "$heed" data vote:6 --count 20 --split dev --out dev.jsonl
saving="$heed text train --train train.jsonl --dev dev.jsonl --dim 96 --heads 2 --layers 2 --hidden 384 --dropout 0.1
  --batch-tokens 60 --steps 40 --evaluate 4 --quiet"
begin=$(date +%s%N)
works $saving --out straight || cat err
took=$((($(date +%s%N) - begin) / 1000000))  # ms

# same_run FOLDER: all that training made is that of the run straight on; of the log, all but the clock's.
same_run() {
  for file in model-best.safetensors model-last.safetensors report.txt report.json vocab.json; do
    cmp "straight/$file" "$1/$file" || return 1
  done
  for folder in straight "$1"; do tail -n +2 "$folder/log.jsonl" | sed -E 's/"(rate|seconds)":[0-9.]+,?//g' >"$folder.log"; done
  cmp straight.log "$1.log" && ! ls "$1"/*.tmp* 2>/dev/null
}

# --resume, once there is something to resume.
again() { [ ! -e "$1/config.json" ] || echo --resume; }

killed() {  # now by SIGKILL, now by Ctrl-C, until it gets to its end; then once more from the start
  while [ "$left" -gt 0 ]; do
    rm -rf killed
    end=1
    while [ $end -gt 0 ]; do
      start $saving --out killed $(again killed)
      if [ "$left" -gt 0 ]; then
        after=$((RANDOM % (took / 2) + 5))
        sleep $((after / 1000)).$(printf %03d $((after % 1000)))
        kill -"$([ $((RANDOM % 3)) = 0 ] && echo INT || echo KILL)" $started
      fi
      finish
      end=$code
      case $end in 0) ;; 130 | 137) left=$((left - 1)) ;; *) cat err; return 1 ;; esac
      for file in killed/model-best.safetensors killed/model-last.safetensors; do
        [ ! -e $file ] || works "$heed" text eval $file dev.jsonl || return 1
      done
    done
    same_run killed || return 1
  done
}
test_case "fault 83: killed at $left random moments, the run ends with the same bits" killed

# limited KILOBYTES COMMAND...: no file may become larger; what it says goes to the file out.
limited() {
  run bash -c 'set -o pipefail; (ulimit -f "$1"; shift; exec "$@") 2>&1 | cat' - "$@"
}

full_disk() {  # whatever file it is that does not fit: said, exit code 1, what was there stays, and the run goes on
  for kilobytes in 0 1 100 1500; do
    rm -rf full
    limited $kilobytes $saving --out full
    same "exit code with files of $kilobytes kB" $code 1 && tail -n 1 out >last && says '^heed: .*cannot write full/' last &&
      ! ls full/*.tmp* 2>/dev/null && works $saving --out full $(again full) && same_run full || return 1
  done
  rm -rf full
  start $saving --out full
  until_there full/log.jsonl '"step":8' && kill -INT $started
  finish
  cp -r full before
  limited 1500 $saving --out full --resume
  same "exit code" $code 1 && cmp full/model-last.safetensors before/model-last.safetensors && works $saving --out full --resume && same_run full
}
test_case "fault 83: on a full disk a run fails, says so, and goes on later with the same bits" full_disk

two_processes() { works $saving --out second && same_run second && works env HEED_THREADS=2 $saving --out third && same_run third; }
test_case "fault 105: two processes make the same bits, and so do one thread and two" two_processes

anomaly() {  # a learning rate that is far too high: which operation, which step, which items
  works $saving --out calm --detect-anomaly && same_run calm &&
    ends 1 '^heed: training stopped at step [0-9]+: [a-z_]+: the (result|gradient) is not finite.*; .*parameter.*; items:( [0-9]+)+$' \
      $saving --lr 1e30 --out wild --detect-anomaly
}
test_case "fault 13: --detect-anomaly names the operation" anomaly
