#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One story on one recorded trace: where does a step go, down to what would help. tools/demo.sh PROGRAM
set -eu
program=$1
trace=tests/data/sample/pytorch/train.json.gz
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# show QUESTION PART COMMAND...: the question, the command as a user would type it, and the part of its answer that sed's script
# PART prints.
show() {
    question=$1 part=$2
    shift 2
    printf '\n# %s\n$ tfprof' "$question"
    for word; do
        case $word in *\**) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    "$program" "$@" >"$scratch/answer" 2>/dev/null
    LC_ALL=C.UTF-8 sed -n "$part" "$scratch/answer" | LC_ALL=C.UTF-8 sed -E 's/^(.{119}).{2,}/\1…/'
}

echo "A trace of PyTorch: three training steps of a small net on a CPU ($trace)."
show "Where does a step go?" '/^step, mean/p; /^part /,/^$/{/./p;}' summary "$trace"
show "Which module?" '/^ *time/,$p' scope "$trace" -max_depth 3 -top 3 -min_micros 2ms
show "Which line?" '/^function/,$p' lines "$trace" -top 3
show "Why was one step longer?" 'p' steps "$trace" -why -step 4
show "What would help?" '/^today/p; /^if/,$p' whatif "$trace" -top 4
show "And with an LSTM three times as fast and without fill_?" '/^if/,$p' \
    whatif "$trace" -faster 'aten::mkldnn_rnn.*=3' -faster 'aten::fill_=0'
printf '\nThe same in the browser:         %s serve tests/data/sample --open\n' "$program"
printf 'Record a job that runs already:  tfprof capture --attach train.py\n'
printf 'All else, by subject:            tfprof help\n'
