#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the commit of this tree, for `tfprof --version`. Prints nothing for a release (the tag vVERSION) and for
# sources without history.
cd "$(dirname "$0")/.." || exit 0
top=$(git rev-parse --show-toplevel 2>/dev/null) || exit 0
[ "$top" = "$(pwd -P)" ] || exit 0 # this tree was unpacked inside another repository
git describe --exact-match --tags --match 'v[0-9]*' HEAD >/dev/null 2>&1 && exit 0
printf '(commit %s)' "$(git rev-parse --short=12 HEAD)"
