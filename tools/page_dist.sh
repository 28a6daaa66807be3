#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts the built page into a source distribution; run by `meson dist`.
set -eu
[ ! -e "$MESON_SOURCE_ROOT/web/dist/index.html" ] || cp -R "$MESON_SOURCE_ROOT/web/dist" "$MESON_DIST_ROOT/web/dist"
