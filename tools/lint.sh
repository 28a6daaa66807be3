#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The analyser and the layout, both kept at zero findings.
set -eu
cd "$(dirname "$0")/.."
status=0
cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
    --suppress=missingIncludeSystem --suppressions-list=tools/cppcheck.txt -D_GNU_SOURCE '-DPy_RETURN_NONE=return Py_None' -Iinclude -Isrc -Icli -Iserver -Imcp \
    -j 2 $(git ls-files 'src/*.c' 'cli/*.c' 'server/*.c' 'mcp/*.c' 'python/native/*.c' 'examples/*.c') || status=1

# Layout by clang-format, except parts between "clang-format off" and "on". `make format` applies it.
other=
for file in $(git ls-files '*.c' '*.h' '*.cc'); do
    clang-format --dry-run --Werror "$file" >/dev/null 2>&1 || other="$other $file"
done
if [ -n "$other" ]; then
    echo "lint: not formatted with clang-format (make format):$other"
    status=1
fi

# The rooms: includes may only point downward (src/meson.build lists the rooms bottom to top).
python3 tools/rooms.py || status=1
python3 tools/links.py || status=1
python3 tools/spdx.py || status=1
python3 tools/portable.py || status=1

# Compares the public interface with that of the last release.
python3 tools/abi.py build/src/libtfprof.so || status=1

# Checks lengths of files, and that paths in docs/design.md exist.
python3 tools/sizes.py || status=1

# Checks the types of the page, if node is installed (tools/page.sh test).
if [ -e web/node_modules/typescript/bin/tsc ]; then
    (cd web && node node_modules/typescript/bin/tsc --noEmit) || status=1
    # Its unit tests; their types come with the packages of `tools/page.sh test`.
    if [ -e web/node_modules/happy-dom ]; then (cd web && node node_modules/typescript/bin/tsc --noEmit -p test) || status=1; fi
else
    echo "lint: no node here: web/ was not checked"
fi
[ $status = 0 ] && echo "lint: no findings"
exit $status
