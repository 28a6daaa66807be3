#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes every target for SECONDS with libFuzzer: tests/fuzz/run.sh SECONDS [TARGET ...]
# The corpus grows in build-fuzz/corpus; an input that breaks something is left in build-fuzz/found and is to be
# copied to tests/fuzz/regressions/TARGET once what it broke is mended.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
targets=${*:-$(printf '%s ' tests/fuzz/fuzz_*.c | sed 's|tests/fuzz/fuzz_||g; s|\.c | |g')}
[ -e build-fuzz/build.ninja ] || CC=clang CXX=clang++ meson setup build-fuzz --buildtype=debugoptimized \
    -Dfuzzers=true -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
# shellcheck disable=SC2086
ninja -C build-fuzz --quiet tfprof $(printf "tests/fuzz/fuzz_%s " $targets)
python3 tests/fuzz/seeds.py build-fuzz/seeds build-fuzz/tfprof
mkdir -p build-fuzz/found
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1
passed=0 failed=0
for target in $targets; do
    mkdir -p "build-fuzz/corpus/$target"
    log=build-fuzz/$target.log
    regressions=tests/fuzz/regressions/$target
    [ -d "$regressions" ] || regressions=
    if "build-fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -max_len=20000 \
        -dict=tests/fuzz/words.dict -artifact_prefix="build-fuzz/found/$target-" -print_final_stats=1 \
        "build-fuzz/corpus/$target" "build-fuzz/seeds/$target" $regressions >"$log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        grep -E 'ERROR|promise|SUMMARY|Test unit written' "$log" | head -n 8
    fi
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions, coverage \
$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1)"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
