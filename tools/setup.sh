#!/bin/sh
# Makes sure that what a goal needs is installed: tools/setup.sh build|test|fuzz|lint
#
# Debian packages are installed when this runs as root or sudo needs no password; otherwise the command to run is
# printed. "test" also makes .venv with TensorFlow, which the comparison runs against. Quick when all is there.
set -eu
cd "$(dirname "$0")/.."

goal=${1:-build}
build="gcc g++ libc6-dev meson ninja-build pkg-config libre2-dev libdeflate-dev zlib1g-dev libsnappy-dev libedit-dev libxxhash-dev"
case $goal in
build) packages=$build ;;
test) packages="$build libcmocka-dev python3 python3-venv" ;;
fuzz) packages="$build clang llvm libcmocka-dev python3" ;;
lint) packages="$build libcmocka-dev cppcheck clang-format python3" ;;
*) echo "usage: tools/setup.sh build|test|fuzz|lint" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
    # Not Debian: Meson says what is missing.
    command -v meson >/dev/null && exit 0
    echo "setup: this is no Debian system; install these or their like, then try again: $packages" >&2
    exit 1
fi

missing=
for package in $packages; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
    [ "$status" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
    if [ "$(id -u)" = 0 ]; then sudo=
    elif sudo -n true 2>/dev/null; then sudo="sudo"
    else
        echo "setup: these packages are missing; run this and try again:" >&2
        echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing" >&2
        exit 1
    fi
    echo "setup: installing$missing"
    log=$(mktemp)
    $sudo apt-get update -qq >"$log" 2>&1 || true # an old list may do
    if ! $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >>"$log" 2>&1
    then
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "setup: apt-get failed" >&2
        exit 1
    fi
    rm -f "$log"
fi

# The comparison with TensorFlow is worth a large download, but not a failed test run where there is no network.
if [ "$goal" = test ] && [ ! -e .venv/ready ] && [ -z "${TFP_NO_TENSORFLOW:-}" ]; then
    echo "setup: installing TensorFlow 2.21 into .venv for the comparison (a few hundred MB, once)"
    if ! { python3 -m venv .venv && .venv/bin/pip install -q --disable-pip-version-check -r tools/requirements.txt &&
        touch .venv/ready; }; then
        echo "setup: TensorFlow could not be installed; the comparison with it will be left out" >&2
    fi
fi
