#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records two checkouts in turns on this machine: record_pairs.sh RUNS BASE_DIR NEW_DIR OUT COMMAND [ARGUMENT...]
# COMMAND runs in each checkout with the file to write as its last argument. The files are OUT/base_N.json.gz and OUT/new_N.json.gz.
set -eu
runs=$1 base=$2 new=$3
mkdir -p "$4"
out=$(cd "$4" && pwd)
shift 4
i=1
while [ "$i" -le "$runs" ]; do
    number=$(printf %02d "$i") # so that a pattern names base and new in the same order
    (cd "$base" && "$@" "$out/base_$number.json.gz")
    (cd "$new" && "$@" "$out/new_$number.json.gz")
    i=$((i + 1))
done
