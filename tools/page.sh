#!/bin/sh
# Builds the page of `tfprof serve` into web/dist, where node 18 and npm are: tools/page.sh [test]
# With "test" what its tests need is installed too. Quick when nothing changed. Without node the program is built without
# its page, and says so when it is asked for it.
set -eu
cd "$(dirname "$0")/../web"

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "page: no node or npm here; building without the page of tfprof serve"
    exit 0
fi
want=$(sha256sum <package-lock.json)
had=$(cat node_modules/ready 2>/dev/null || true)
if [ "$had" != "$want test" ] && { [ "$had" != "$want" ] || [ "${1:-}" = test ]; }; then
    omit=--omit=dev
    [ "${1:-}" != test ] || omit=
    echo "page: installing its npm packages (once)"
    # shellcheck disable=SC2086
    if ! npm ci $omit --ignore-scripts --no-audit --no-fund --loglevel=error; then
        echo "page: npm failed; building without the page of tfprof serve" >&2
        exit 0
    fi
    echo "$want${1:+ test}" >node_modules/ready
fi
if [ ! -e dist/index.html ] || [ -n "$(find src build.mjs package-lock.json -newer dist/index.html | head -n 1)" ]; then
    echo "page: building web/dist"
    node build.mjs
fi
