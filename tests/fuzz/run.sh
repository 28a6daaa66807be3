#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes every target for SECONDS with libFuzzer: tests/fuzz/run.sh SECONDS [TARGET ...]
# With FUZZ_RUNS=N in the environment each target gets N inputs instead, however long they take. TARGET:WORD is a target
# with those of its seeds whose names begin with WORD (sqlite:rocpd): readers that share a target are counted one by
# one. The corpus grows in build-fuzz/corpus; an input that breaks something is left in build-fuzz/found and is to be
# copied to tests/fuzz/regressions/TARGET once what it broke is mended.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
targets=${*:-$(printf '%s\n' tests/fuzz/*/fuzz_*.c | sed 's|.*/fuzz_||; s|\.c$||' | sort | tr '\n' ' ')}
[ -e build-fuzz/build.ninja ] || CC=clang CXX=clang++ meson setup build-fuzz --buildtype=debugoptimized \
    -Dfuzzers=true -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
# shellcheck disable=SC2086
ninja -C build-fuzz --quiet tfprof $(printf 'tests/fuzz/fuzz_%s\n' $targets | sed 's/:.*//' | sort -u)
python3 tests/fuzz/seeds/seeds.py build-fuzz/seeds build-fuzz/tfprof
mkdir -p build-fuzz/found
# A short queue keeps freed memory in the process, and leaks are checked only at the end: this halves the time for an
# input.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:quarantine_size_mb=4:thread_local_quarantine_size_kb=64:allocator_release_to_os_interval_ms=-1
passed=0 failed=0
limit="-max_total_time=$seconds"
[ -z "${FUZZ_RUNS:-}" ] || limit="-runs=$FUZZ_RUNS"
for name in $targets; do
    target=${name%%:*} seeds=build-fuzz/seeds/${name%%:*}
    if [ "$name" != "$target" ]; then
        seeds=build-fuzz/seeds/$name
        rm -rf "$seeds"
        mkdir -p "$seeds"
        cp "build-fuzz/seeds/$target/${name#*:}"* "$seeds"
    fi
    mkdir -p "build-fuzz/corpus/$name"
    log=build-fuzz/$name.log
    regressions=tests/fuzz/regressions/$target
    [ -d "$regressions" ] || regressions=
    if "build-fuzz/tests/fuzz/fuzz_$target" "$limit" -timeout=5 -rss_limit_mb=1024 -max_len=20000 -entropic=0 -detect_leaks=0 \
        -dict=tests/fuzz/words.dict -artifact_prefix="build-fuzz/found/$name-" -print_final_stats=1 \
        "build-fuzz/corpus/$name" "$seeds" $regressions >"$log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        grep -E 'ERROR|promise|SUMMARY|Test unit written' "$log" | head -n 8
    fi
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions, coverage \
$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1)"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
