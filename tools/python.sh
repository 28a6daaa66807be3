#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel in build-python and installs it into .venv, for tests and for trying: tools/python.sh
#
# The library and the program are those that `make` built: pip, from a source distribution, compiles them itself.
# Incremental: what did not change is not built again, and where nothing changed nothing runs. One at a time.
set -eu
cd "$(dirname "$0")/.."
build=build-python
mkdir -p $build
exec 9>$build/lock
flock 9

newer=$(find pyproject.toml meson.build meson_options.txt README.md include src cli python -name __pycache__ -prune -o \
    \( -type f -o -type d \) -newer $build/installed -print -quit 2>/dev/null) || newer=all
if [ -e $build/installed ] && [ -z "$newer" ] && .venv/bin/python -c 'import tfprof' 2>/dev/null; then exit 0; fi

make --no-print-directory BUILD=build all >/dev/null

# An aborted run leaves objects whose headers Ninja does not know, so that they would never be rebuilt.
if [ -e $build/started ]; then rm -rf $build/meson; fi

# Uses pip's Meson and Ninja, because Debian's are too old.
PATH=$PWD/.venv/bin:$PATH
log=$build/log
touch $build/started
rm -rf $build/dist
if ! { python -m build --wheel --no-isolation --skip-dependency-check -o $build/dist -Cbuild-dir=$build/meson \
        -Csetup-args=-Dbuilt=$PWD/build -Ccompile-args=-j2 . &&
    python -m pip install -q --disable-pip-version-check --no-deps --force-reinstall $build/dist/*.whl; } >$log 2>&1
then
    grep -E -A6 'error|ERROR|FAILED|Error' $log >&2 || tail -n 30 $log >&2
    echo "python: the build failed; all of it is in $log" >&2
    exit 1
fi
mv $build/started $build/installed
