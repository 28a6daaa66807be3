# SPDX-License-Identifier: Apache-2.0
"""The build backend: meson-python's, with a corrected wheel tag and a list of missing Debian packages.

meson-python tags a limited-API wheel with the interpreter that built it (cp311-abi3), which keeps older ones from
installing it. The extension is compiled for the limited API of 3.10, so the tag says cp310-abi3, whoever builds.
"""
import os
import shutil
import subprocess
import sys
import sysconfig

import mesonpy
from mesonpy import (  # the hooks that need no change
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

__all__ = ["build_editable", "build_sdist", "build_wheel", "get_requires_for_build_editable",
           "get_requires_for_build_sdist", "get_requires_for_build_wheel"]

OLDEST = "cp310"  # limited_api in python/meson.build

# Programs and libraries that the build needs, with their Debian packages. docs/python.md lists them; tests/python
# compares.
PROGRAMS = {"cc": "gcc", "c++": "g++", "pkg-config": "pkg-config", "readelf": "binutils"}
LIBRARIES = {"re2": "libre2-dev", "libdeflate": "libdeflate-dev", "zlib": "zlib1g-dev", "snappy": "libsnappy-dev",
             "libedit": "libedit-dev", "libxxhash": "libxxhash-dev", "sqlite3": "libsqlite3-dev",
             "libmicrohttpd": "libmicrohttpd-dev"}


def _works(*command):
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def _has_library(name, pkg_config):
    """Snappy comes without a file for pkg-config on some systems: the build asks for its header, too."""
    if pkg_config and _works(pkg_config, "--exists", name):
        return True
    compiler = (os.environ.get("CC") or "cc").split()
    return name == "snappy" and _works(*compiler, "-E", "-include", "snappy-c.h", "-x", "c", os.devnull)


def missing_packages():
    """The Debian packages without which the build cannot be done, in the order of the tables above."""
    compilers = {"cc": os.environ.get("CC"), "c++": os.environ.get("CXX")}
    missing = [package for program, package in PROGRAMS.items()
               if not compilers.get(program) and not shutil.which(program)]
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        missing.append("python3-dev")
    pkg_config = os.environ.get("PKG_CONFIG") or shutil.which("pkg-config")
    return missing + [package for name, package in LIBRARIES.items() if not _has_library(name, pkg_config)]


def check_packages():
    """Ends the build with the command that installs missing packages, if there are any."""
    missing = missing_packages()
    if missing:
        sys.exit("tfprof is built from C and needs what these Debian packages have (elsewhere: their like):\n\n"
                 "    sudo apt-get install -y --no-install-recommends " + " ".join(missing) + "\n")


def build_page():
    """The page of `tfprof serve`, which is built into the program; without node and a network the program has no page,
    and says so."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        subprocess.run([os.path.join(root, "tools", "page.sh")], stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
    except (OSError, subprocess.CalledProcessError) as wrong:
        print(f"tfprof: the page of `tfprof serve` could not be built: {wrong}", file=sys.stderr)


def write_notice():
    """NOTICE, which pyproject.toml lists as a licence file, is not in a clone."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    subprocess.run([sys.executable, os.path.join(root, "tools", "release", "sbom.py"), "--notice"], stdin=subprocess.DEVNULL, check=True)


def build_sdist(sdist_directory, config_settings=None):
    build_page()
    write_notice()
    return mesonpy.build_sdist(sdist_directory, config_settings)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    check_packages()
    build_page()
    write_notice()
    return mesonpy.build_editable(wheel_directory, config_settings, metadata_directory)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    check_packages()
    build_page()
    write_notice()
    name = mesonpy.build_wheel(wheel_directory, config_settings, metadata_directory)
    if "-abi3-" not in name:  # PyPy and free-threaded interpreters have no stable ABI
        return name
    told = subprocess.run([sys.executable, "-m", "wheel", "tags", "--remove", "--python-tag", OLDEST,
                           os.path.join(wheel_directory, name)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return os.path.basename(told.split()[-1])
