#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The hook of .pre-commit-hooks.yaml: pre_commit.sh BASELINE LIMIT RUNS COMMAND [ARGUMENT...]
# Runs COMMAND RUNS times, with the file to write as its last argument, and compares the recordings with BASELINE. A BASELINE that does not
# exist is made of them, and the hook fails, so that it gets into the commit. What COMMAND prints is shown when it fails.
set -eu
baseline=$1 limit=$2 runs=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
i=1
while [ "$i" -le "$runs" ]; do
    "$@" "$folder/run_$i.json.gz" >"$folder/said" 2>&1 || { cat "$folder/said" >&2; exit 1; }
    i=$((i + 1))
done
if [ ! -e "$baseline" ]; then
    tfprof diff --base "$folder"/run_* --save-base "$baseline"
    echo "$baseline was made of these runs: add it to the commit" >&2
    exit 1
fi
status=0
tfprof diff --gate "$limit" --base "$baseline" --new "$folder"/run_* -format md >"$folder/comment.md" || status=$?
[ "$status" -eq 0 ] || cat "$folder/comment.md"
exit "$status"
