#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds Debian's packages from the source distribution into dist/: tools/release/deb.py (after sdist.py)

debian/changelog is made here, so that the version is written only once, in meson.build."""
import email.utils
import glob
import os
import re
import shutil

from common import CACHE, DIST, JOBS, epoch, fail, need, read, reproducible, run, version

PACKAGES = ("tfprof", "libtfprof0", "libtfprof-dev", "python3-tfprof")


def unpacked():
    source = os.path.join(DIST, f"tfprof-{version()}.tar.gz")
    if not os.path.exists(source):
        fail(f"{source} is missing: run tools/release/sdist.py first")
    folder = os.path.join(CACHE, "build", "deb")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    run("tar", "-x", "-f", source, "-C", folder)
    shutil.copy(source, os.path.join(folder, f"tfprof_{version()}.orig.tar.gz"))
    return os.path.join(folder, f"tfprof-{version()}")


def write_changelog(place):
    maintainer = re.search(r"^Maintainer: (.+)$", read("debian", "control"), re.M)[1]
    with open(os.path.join(place, "debian", "changelog"), "w", encoding="utf-8") as f:
        f.write(f"tfprof ({version()}-1) bookworm; urgency=medium\n\n  * Release {version()}; CHANGELOG.md says what is new.\n\n"
                f" -- {maintainer}  {email.utils.formatdate(epoch())}\n")


def built(place):
    environment = {"DEB_BUILD_OPTIONS": f"parallel={JOBS} nocheck noautodbgsym", "DEB_BUILD_PROFILES": "nocheck"}
    run("dpkg-buildpackage", "-b", "-us", "-uc", cwd=place, env=environment)
    return sorted(glob.glob(os.path.join(os.path.dirname(place), "*.deb")))


def main():
    reproducible()
    need("dpkg-buildpackage", "dpkg-dev")
    need("dh", "debhelper")
    place = unpacked()
    write_changelog(place)
    made = built(place)
    names = [os.path.basename(path).split("_")[0] for path in made]
    if sorted(names) != sorted(PACKAGES):
        fail(f"dpkg-buildpackage made {names}")
    for path in made:
        shutil.copyfile(path, os.path.join(DIST, os.path.basename(path)))
        print(os.path.join(DIST, os.path.basename(path)))


if __name__ == "__main__":
    main()
