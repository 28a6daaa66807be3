#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts the built page and NOTICE into a source distribution; run by `meson dist`.
set -eu
[ ! -e "$MESON_SOURCE_ROOT/web/dist/index.html" ] || cp -R "$MESON_SOURCE_ROOT/web/dist" "$MESON_DIST_ROOT/web/dist"
"$MESON_SOURCE_ROOT/tools/release/sbom.py" --notice "$MESON_DIST_ROOT/NOTICE"
