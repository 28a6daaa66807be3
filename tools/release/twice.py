#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that two builds of this commit give the same bytes: tools/release/twice.py [FOLDER], or twice.py --compare
DIST DIST

Clones the commit into two folders of different depth below FOLDER (/var/tmp/tfprof-twice), and runs `make release` in
each, with another umask, time zone, home and number of jobs. Takes twice what make release takes; what was built before
in FOLDER is kept. Nothing may differ."""
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILDS = (("one", "022", {"TZ": "UTC", "RELEASE_JOBS": "1"}), ("the/other/folder", "077", {"TZ": "Pacific/Auckland", "LC_ALL": "C", "RELEASE_JOBS": "3"}))


def built(place, umask, settings, commit):
    """Runs make release in a clone at `place`, at the commit; returns its dist/."""
    if not os.path.exists(place):
        subprocess.run(["git", "clone", "-q", ROOT, place], check=True)
    subprocess.run(["git", "-C", place, "fetch", "-q", "origin", commit], check=True)
    subprocess.run(["git", "-C", place, "checkout", "-q", "--detach", commit], check=True)
    home = place + ".home"
    os.makedirs(home, exist_ok=True)
    print(f"make release in {place}, umask {umask}", flush=True)
    subprocess.run(["sh", "-c", f"umask {umask} && exec make release"], cwd=place, env={**os.environ, **settings, "HOME": home}, check=True)
    return os.path.join(place, "dist")


def sums(dist):
    with open(os.path.join(dist, "SHA256SUMS"), encoding="utf-8") as f:
        return {name: value for value, name in (line.split() for line in f)}


def compare(first, second):
    """Prints a line for each file; returns whether all are the same."""
    one, other = sums(first), sums(second)
    for name in sorted(one | other):
        same = one.get(name) == other.get(name)
        print(f"{'same  ' if same else 'DIFFER'} {one.get(name, 'missing')[:16]} {'' if same else other.get(name, 'missing')[:16] + ' '}{name}")
    return one == other


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--compare":
        sys.exit(not compare(*sys.argv[2:]))
    top = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "/var/tmp/tfprof-twice")
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    dists = [built(os.path.join(top, place), umask, settings, commit) for place, umask, settings in BUILDS]
    same = compare(*dists)
    print(f"{commit[:12]}: " + ("two builds gave the same bytes" if same else "two builds differ"))
    if same and len(sys.argv) == 1:
        shutil.rmtree(top)
    sys.exit(not same)


if __name__ == "__main__":
    main()
