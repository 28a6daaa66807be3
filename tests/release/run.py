#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What make release would do fits the tree: its lists of libraries, options, licences and packages. With --dist, what lies in
dist/ is tried, too: tests/release/run.py BUILD [--dist]. The build itself takes minutes and a network: tools/release/check.py asks what it made."""
import csv
import glob
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools", "release"), os.path.join(ROOT, "tools")]

import common  # noqa: E402
import deb  # noqa: E402
import deps  # noqa: E402
import mesonbuild  # noqa: E402
import portable  # noqa: E402
import sbom  # noqa: E402
import wheel  # noqa: E402
from libraries import LIBRARIES, TOOLCHAIN  # noqa: E402

counted = {True: 0, False: 0}


def case(name, good, why=""):
    counted[bool(good)] += 1
    if not good:
        print(f"FAIL {name}: {str(why)[:600]}")


def meson_files():
    return [common.read(name) for name in ("meson.build", "src/meson.build", "server/meson.build", "python/meson.build")]


def options_fit():
    known = set(re.findall(r"^option\('(\w+)'", common.read("meson_options.txt"), re.M))
    used = set(mesonbuild.OPTIONS) | set(re.findall(r"-D(\w+)=", common.read("debian/rules")))
    used |= set(re.findall(r'"-D(\w+)=', common.read("tools/release/wheel.py"))) - {"c_args"}
    case("every Meson option that release sets exists", used <= known, used - known)


def libraries_fit():
    wanted = {name for text in meson_files() for name in re.findall(r"dependency\('([\w-]+)'", text)} - {"threads", "libisal"}  # bundled builds unpack by zlib
    made = set(re.findall(r'build\.described\(library, "([\w-]+)"', common.read("tools/release/deps.py")))
    case("deps.py makes every library that the build asks for", wanted == made, wanted ^ made)
    case("every library has a recipe", [library.name for library in LIBRARIES] == list(deps.STEPS), list(deps.STEPS))
    bad = [name for library in LIBRARIES for name, value in library.files.items() if not re.fullmatch(r"[0-9a-f]{64}", value)]
    case("every source has a sum", not bad, bad)
    unsaid = [library.name for library in LIBRARIES if library.version not in library.debian]
    case("a library's version is that of its source package", not unsaid, unsaid)
    pinned = re.search(r"^ziglang==(\S+)", common.read("tools/release/requirements.txt"), re.M)[1]
    case("the version of Zig is the pinned one", dict((row[0], row[1]) for row in TOOLCHAIN)["zig"] == pinned, pinned)


def licences_fit():
    try:
        made = sbom.notice()
    except FileNotFoundError as wrong:
        case("every library and npm package has its licence in tools/release/licences", False, f"{wrong}: copy it there")
        return
    parts = [library.name for library in LIBRARIES] + [row[0] for row in TOOLCHAIN] + [row[0] for row in sbom.npm_packages()]
    case("NOTICE has every part", all(f"\n{name} " in made for name in parts), [name for name in parts if f"\n{name} " not in made])
    texts = {os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "tools", "release", "licences", "*.txt"))}
    used = {library.name + ".txt" for library in LIBRARIES} | {row[0] + ".txt" for row in TOOLCHAIN}
    used |= {sbom.npm_file(row[0]) + ".txt" for row in sbom.npm_packages()}
    case("no licence of something that is not there", texts == used, texts ^ used)


def sbom_fits():
    made = sbom.spdx()
    ids = [row["SPDXID"] for row in made["packages"]]
    case("ids are unique and of SPDX's letters", len(ids) == len(set(ids)) and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i) for i in ids), ids)
    ends = {row["relatedSpdxElement"] for row in made["relationships"]}
    case("every package is related to tfprof", ends == set(ids), ends ^ set(ids))
    bare = [row["name"] for row in made["packages"] if not row["versionInfo"] or not row["licenseDeclared"]]
    case("every package has version and licence", not bare, bare)
    case("the SBOM is the same twice", json.dumps(made) == json.dumps(sbom.spdx()))


def packages_fit(build):
    names = re.findall(r"^Package: (\S+)", common.read("debian/control"), re.M)
    case("debian/control has the packages that deb.py expects", names == list(deb.PACKAGES), names)
    setup = re.search(r'^build="(.+)"', common.read("tools/setup.sh"), re.M)[1].split()
    missing = {name for name in setup if name.endswith("-dev") and name != "libc6-dev" and name not in common.read("debian/control")}
    case("debian/control needs what tools/setup.sh installs", not missing, missing)
    script = common.read("tools/setup.sh")
    installed = set((" ".join(re.findall(r'^(?:build|python)="(.+)"', script, re.M)) + " " + re.search(r'^release\) packages="([^"]+)"', script, re.M)[1]).split())
    needed = set(re.findall(r"^(?:Build-Depends:)?\s+([a-z][\w+.-]+)", re.search(r"^Build-Depends:.*?(?=^\S)", common.read("debian/control"), re.M | re.S)[0], re.M))
    # packages that every build needs
    needed = {name.replace("debhelper-compat", "debhelper") for name in needed} | {"build-essential"}
    case("tools/setup.sh release installs what debian/control needs", len(needed) > 10 and needed <= installed | {"pkg-config"}, needed - installed)
    library = os.path.join(build, "src", "libtfprof.so")
    said = subprocess.run(["nm", "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE, text=True).stdout
    shown = set(re.findall(r" T (\w+)$", said, re.M))
    known = set(re.findall(r"^ (\w+)@Base", common.read("debian/libtfprof0.symbols"), re.M))
    case("no function of the library has gone since the symbols were listed", known and known <= shown, known - shown)


def archives_are_reproducible():
    files = {"b/two": (b"2" * 1000, 0o755), "a.py": (b"1", 0o644), f"tfprof-{common.version()}.dist-info/WHEEL": (b"w", 0o644)}
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("1.whl", "2.whl", "1.tar.gz", "2.tar.gz")]
        wheel.write(paths[0], files)
        wheel.write(paths[1], dict(reversed(files.items())))
        entries = [(name, data, mode) for name, (data, mode) in files.items()] + [("link", "a.py", None)]
        common.write_tar_gz(paths[2], entries)
        common.write_tar_gz(paths[3], entries[::-1])
        data = [open(path, "rb").read() for path in paths]
        case("a wheel has the same bytes whatever the order of its files", data[0] == data[1])
        case("a tar.gz has the same bytes whatever the order of its files", data[2] == data[3])
        with zipfile.ZipFile(paths[0]) as archive:
            rows = list(csv.reader(io.StringIO(archive.read(archive.namelist()[-1]).decode())))
            modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
            case("RECORD names every file of the wheel", {row[0] for row in rows} == set(archive.namelist()), rows)
            case("a wheel is packed whole, with one time", archive.testzip() is None and archive.read("b/two") == b"2" * 1000
                 and {info.date_time for info in archive.infolist()} == {tuple(time.gmtime(common.epoch())[:5]) + (time.gmtime(common.epoch())[5] // 2 * 2,)})
            case("programs in a wheel can be run", modes["b/two"] == 0o755 and modes["a.py"] == 0o644, modes)
        with tarfile.open(paths[2]) as archive:
            case("a tar.gz has no owner", {(m.uid, m.gid, m.uname) for m in archive.getmembers()} == {(0, 0, "")})


def description_fits():
    text = wheel.description("https://home.invalid")
    relative = re.findall(r"\]\((?!https?:|#|mailto:)[^)]+\)", text)
    case("the description for PyPI has no relative link", not relative and "](https://home.invalid/docs/" in text, relative)


def two_builds_can_be_compared():
    with tempfile.TemporaryDirectory() as folder:
        for name, value in (("a", "1" * 64), ("b", "1" * 64), ("c", "2" * 64)):
            os.mkdir(os.path.join(folder, name))
            with open(os.path.join(folder, name, "SHA256SUMS"), "w", encoding="utf-8") as f:
                f.write(f"{value}  tfprof.whl\n")
        said = [subprocess.run([sys.executable, os.path.join(ROOT, "tools", "release", "twice.py"), "--compare", folder + "/a", f"{folder}/{other}"],
                               stdout=subprocess.PIPE, text=True) for other in "bc"]
    case("twice.py tells what differs", [s.returncode for s in said] == [0, 1] and said[1].stdout.startswith("DIFFER"), said)


def headers_are_portable():
    found = list(portable.faults())
    case("no header of Linux outside its places (tools/portable.py)", not found, "; ".join(found))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write("#include <sys/epoll.h>\n#ifdef __linux__\n#if 1\n#include <elf.h>\n#endif\n#endif\n#include <elf.h>\n")
        seen = list(portable.included(path))
    case("guards are seen", seen == [(1, "sys/epoll.h", False), (4, "elf.h", True), (7, "elf.h", False)], seen)


def shipped(build):
    """Checks the files in dist/, if they were built from this version."""
    dist = common.DIST
    sums = os.path.join(dist, "SHA256SUMS")
    if not os.path.exists(sums):
        print("no dist/SHA256SUMS: what make release makes was not tried")
        return
    for line in open(sums, encoding="utf-8").read().splitlines():
        value, name = line.split("  ")
        with open(os.path.join(dist, name), "rb") as f:
            case(f"sum of {name}", hashlib.sha256(f.read()).hexdigest() == value)
    trace = os.path.join(ROOT, "tests", "data", "sample", "pytorch", "train.json.gz")
    program = os.path.join(dist, f"tfprof-{common.version()}-linux-x86_64")
    package, = glob.glob(os.path.join(dist, "*manylinux*x86_64.whl"))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder + "/bin/pip", "install", "-q", "--no-index", "--disable-pip-version-check", package], check=True)
        wanted = subprocess.run([os.path.join(build, "tfprof"), "summary", trace], stdout=subprocess.PIPE).stdout
        for who in (program, folder + "/bin/tfprof"):
            got = subprocess.run([who, "summary", trace], stdout=subprocess.PIPE).stdout
            case(f"{os.path.basename(who)} of dist/ answers as the build", got == wanted, got)


def main():
    build = os.path.join(ROOT, sys.argv[1] if len(sys.argv) > 1 else "build")
    options_fit()
    libraries_fit()
    licences_fit()
    sbom_fits()
    packages_fit(build)
    archives_are_reproducible()
    description_fits()
    two_builds_can_be_compared()
    headers_are_portable()
    if "--dist" in sys.argv:
        shipped(build)
    print(f"{counted[True]} passed, {counted[False]} failed")
    sys.exit(counted[False] > 0)


if __name__ == "__main__":
    main()
