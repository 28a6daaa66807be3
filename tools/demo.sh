#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shows what tfprof does, on the recorded models of tests/data/sample: tools/demo.sh PROGRAM
set -eu
program=$1
sample=tests/data/sample
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# show WHAT LINES ARGUMENTS...: prints one line of explanation, the command as a user would type it, and the first lines
# of its answer.
show() {
    printf '\n# %s\n$ tfprof' "$1"
    lines=$2
    shift 2
    for word; do
        case $word in *[\*\|\ \(]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    "$program" "$@" >"$scratch/answer"
    # The Doc block is left out here.
    sed '/^Doc:/,/^Profile:/d' "$scratch/answer" | sed '/./,$!d' | LC_ALL=C.UTF-8 sed -E 's/^(.{139}).{2,}/\1…/' | head -n "$lines"
    [ "$(sed '/^Doc:/,/^Profile:/d' "$scratch/answer" | sed '/./,$!d' | wc -l)" -le "$lines" ] || echo "  ..."
}

resnet="--graph_path=$sample/resnet32/graph.pbtxt.gz"
torch=$sample/pytorch/train.json.gz
echo "The models are small nets of PyTorch 2.13 and JAX, ResNet-32 on CIFAR-10 and a small convnet on two devices (TensorFlow 2.21)."
show "A trace of PyTorch: three training steps on CPU. Where does a step go, and what could be better?" 24 \
    summary "$torch"
show "Which operators take the time, by module? Backward operators stand under the modules of their forward ones." 14 \
    scope "$torch" -select micros -order_by micros -max_depth 4 -min_micros 1500
show "What held the memory at its peak?" 10 \
    memory "$torch"
show "What did a training step of JAX take on the CPU, place by place, and how near is that to the machine?" 14 \
    flops "$sample/recorded/jax.xplane.pb.gz" --peak-flops 100G --peak-bandwidth 20G -step 1
show "TensorFlow: where are the parameters? The trainable variables of ResNet-32, by scope." 14 \
    scope "$resnet" "--op_log_path=$sample/resnet32/tfprof_log.gz" -account_type_regexes _trainable_variables -max_depth 3 -select params -order_by params
show "Operation types of one training step, the most expensive first." 10 \
    op "$resnet" "--run_meta_path=$sample/resnet32/run_meta_0.gz" "--op_log_path=$sample/resnet32/tfprof_log.gz" \
    -select micros,float_ops,occurrence -order_by micros -max_depth 7
show "How many float operations? From the graph, without an op log." 14 \
    flops "$resnet" "--run_meta_path=$sample/resnet32/run_meta_0.gz" --peak-flops 400G --peak-bandwidth 100G
show "Which lines of Python cost it? Plain files are known by their content." 12 \
    code "$sample/towers/profile_9.gz" -max_depth 6 -select micros -order_by micros -min_micros 1000 -step 1
show "One step as a timeline for chrome://tracing or ui.perfetto.dev." 4 \
    graph "$sample/towers/profile_9.gz" -step 1 -account_type_regexes '.*' -max_depth 10000 \
    -output "timeline:outfile=$scratch/timeline"
printf '%s bytes of trace JSON: ' "$(wc -c <"$scratch/timeline_1")"
head -c 110 "$scratch/timeline_1"
printf ' ...\n\nWithout a command, tfprof FILE... is a prompt; tfprof help tells the rest.\n'
printf 'The same as pages in the browser: %s serve %s --open\n' "$program" "$sample"
