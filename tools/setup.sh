#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes sure that what a goal needs is installed: tools/setup.sh build|python|unit|test|fuzz|lint
#
# Debian packages are installed when this runs as root or sudo needs no password; otherwise the command to run is
# printed. "python" and "test" also make .venv with TensorFlow, JAX and what else the package is tried with. Quick when
# all is there.
set -eu
cd "$(dirname "$0")/.."

goal=${1:-build}
build="gcc g++ libc6-dev meson ninja-build pkg-config libre2-dev libdeflate-dev zlib1g-dev libsnappy-dev libedit-dev libxxhash-dev libsqlite3-dev libmicrohttpd-dev"
python="python3 python3-venv python3-dev binutils"
# ISA-L unpacks big .gz files three times as fast as zlib, which is used without it.
optional=libisal-dev page=
# Building the page needs node: the system's, or the one that tools/page.sh installs from PyPI into a venv. Debian's
# nodejs and npm need 360 packages.
command -v npm >/dev/null || page="python3-venv"
case $goal in
build) packages=$build ;;
python) packages="$build $python" ;;
# The debug interpreter counts references; without it the leak check measures memory only. Chromium shows the page; its
# headless shell, because each start of the full browser loads another page for its tabs. libdw unwinds native stacks.
test) packages="$build $python libcmocka-dev" optional="$optional python3-dbg chromium-headless-shell libdw1" ;;
unit) packages="$build libcmocka-dev python3" ;;
fuzz) packages="$build clang libclang-rt-dev llvm libcmocka-dev python3" ;;
lint) packages="$build libcmocka-dev cppcheck clang-format abigail-tools python3" ;;
# Packages for tools/release: the libraries are compiled from Debian's sources, and aarch64 is tested under emulation.
release) packages="$build $python libisal-dev git make build-essential dpkg-dev debhelper dh-python lintian qemu-user-static tcl unicode-data ncurses-bin perl" ;;
*) echo "usage: tools/setup.sh build|python|unit|test|fuzz|lint|release" >&2; exit 2 ;;
esac

optional="$optional $page"

if ! command -v dpkg-query >/dev/null; then
    # Not Debian: Meson reports what is missing.
    command -v meson >/dev/null && exit 0
    echo "setup: this is no Debian system; install these or their like, then try again: $packages" >&2
    exit 1
fi

missing() {
    for package in "$@"; do
        status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
        [ "$status" = installed ] || printf ' %s' "$package"
    done
}

if [ "$(id -u)" = 0 ]; then sudo= root=yes
elif sudo -n true 2>/dev/null; then sudo=sudo root=yes
else sudo= root=
fi

install() {
    log=$(mktemp)
    $sudo apt-get update -qq >"$log" 2>&1 || true # an old package list may be enough
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >>"$log" 2>&1 &&
        rm -f "$log"
}

# shellcheck disable=SC2086,SC2046
lacks=$(missing $packages)
if [ -n "$lacks" ]; then
    if [ -z "$root" ]; then
        echo "setup: these packages are missing; run this and try again:" >&2
        echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends$lacks" >&2
        exit 1
    fi
    echo "setup: installing$lacks"
    if ! install $lacks; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "setup: apt-get failed" >&2
        exit 1
    fi
fi
lacks=$(missing $optional)
if [ -n "$lacks" ] && [ -n "$root" ]; then
    echo "setup: installing$lacks"
    if ! install $lacks; then
        rm -f "$log"
        echo "setup: it could not be installed; what needs it will be left out" >&2
    fi
fi

if [ "$goal" = release ]; then
    needed=$(sha256sum <tools/release/requirements.txt)
    [ "$(cat .venv-release/ready 2>/dev/null)" != "$needed" ] || exit 0
    echo "setup: installing tools/release/requirements.txt into .venv-release (480 MB on disk, once)"
    rm -rf .venv-release
    # Uses Debian's own Python, even if another is first on the PATH, because the build uses its
    # headers.
    [ -x /usr/bin/python3 ] && system=/usr/bin/python3 || system=python3
    "$system" -m venv .venv-release
    .venv-release/bin/pip install -q --disable-pip-version-check --no-deps --require-hashes --only-binary :all: -r tools/release/requirements.txt
    echo "$needed" >.venv-release/ready
    exit 0
fi

# TensorFlow and the others are worth a large download, but without a network the tests must not fail.
case $goal in python | test) ;; *) exit 0 ;; esac
[ -z "${TFP_NO_TENSORFLOW:-}" ] || exit 0
needed=$(sha256sum <tools/requirements.txt)
if [ "$(cat .venv/ready 2>/dev/null)" != "$needed" ]; then
    echo "setup: installing tools/requirements.txt into .venv (TensorFlow, JAX and others: 2.8 GB on disk, once)"
    rm -f .venv/ready
    if python3 -m venv .venv && .venv/bin/pip install -q --disable-pip-version-check -r tools/requirements.txt; then
        echo "$needed" >.venv/ready
    else
        echo "setup: they could not be installed; what compares with TensorFlow and JAX, and the Python tests, will be left out" >&2
        [ "$goal" = test ] || exit 1
    fi
fi

# Spark, if there is Java, and the other programs with which tests/fleet/spark.py reads many traces.
if [ -e .venv/ready ] && command -v java >/dev/null && ! [ -e .venv/spark ]; then
    echo "setup: installing PySpark into .venv (600 MB on disk, once)"
    if .venv/bin/pip install -q --disable-pip-version-check pyspark==4.3.0 fsspec==2026.9.0 duckdb-cli==1.5.6; then
        touch .venv/spark
    else
        echo "setup: PySpark could not be installed; its tests will be left out" >&2
    fi
fi
