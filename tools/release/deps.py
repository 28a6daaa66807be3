#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the libraries of libraries.py for a target, as archives: tools/release/deps.py TARGET

Downloads come from Debian's archive and must have the sums of the table. The result lies in .cache/release/deps/TARGET
and is kept until its recipe here, its row of the table or the compiler changes."""
import glob
import hashlib
import inspect
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from common import CACHE, JOBS, TARGETS, VENV, arch_of, compilers, fail, need, reproducible, run
from libraries import LIBRARIES, pool_of

MIRRORS = ("http://deb.debian.org/debian", "http://security.debian.org/debian-security", "http://archive.debian.org/debian")
FLAGS = ("-O2", "-fPIC", "-fvisibility=hidden", "-fstack-protector-strong")
# Sections for each function and object let the linker drop unused ones; unwind tables are only for C++, where
# exceptions pass.
SMALL = ("-ffunction-sections", "-fdata-sections")
C_FLAGS = (*FLAGS, *SMALL, "-fno-unwind-tables", "-fno-asynchronous-unwind-tables")
CXX_FLAGS = (*FLAGS, *SMALL)


def sum_of(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def download(library, name, wanted):
    """Downloads a file from Debian's archive into the cache, and checks it against the sum in the
    table."""
    path = os.path.join(CACHE, "sources", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path) and sum_of(path) == wanted:
        return
    faults = []
    for mirror in MIRRORS:
        url = f"{mirror}/{pool_of(library.debian.split()[0])}/{name.replace('+', '%2B')}"
        try:
            with urllib.request.urlopen(url, timeout=60) as answer, open(path, "wb") as f:
                shutil.copyfileobj(answer, f)
        except OSError as wrong:
            faults.append(f"{url}: {wrong}")
            continue
        if sum_of(path) == wanted:
            return
        faults.append(f"{url}: sha256 {sum_of(path)}, not {wanted}")
    fail(f"{name} could not be had:\n  " + "\n  ".join(faults))


def unpack(library, folder):
    """Unpacks its source, with Debian's patches unless the table says otherwise."""
    for name, wanted in library.files.items():
        download(library, name, wanted)
    place = os.path.join(folder, library.name)
    sources = os.path.join(CACHE, "sources")
    if library.patched:
        description = next(name for name in library.files if name.endswith(".dsc"))
        run("dpkg-source", "--no-check", "--no-copy", "-x", os.path.join(sources, description), place, cwd=folder)
    else:
        os.makedirs(place)
        run("tar", "-x", "--strip-components=1", "-f", os.path.join(sources, next(iter(library.files))), "-C", place)
    return place


class Build:
    """The build for one target: its compilers, and where headers and archives go."""

    def __init__(self, target, prefix):
        self.target, self.prefix, self.tools = target, prefix, compilers(target)
        for folder in ("include", "lib/pkgconfig"):
            os.makedirs(os.path.join(prefix, folder), exist_ok=True)

    def archive(self, source, name, files, flags=(), cxx=False):
        """Compiles the files and puts their objects into lib/libNAME.a, in the order of their names."""
        os.makedirs(os.path.join(source, "objects"), exist_ok=True)

        def compiled(path):
            out = os.path.join("objects", path.replace("/", "_") + ".o")
            run(self.tools["cxx" if cxx else "cc"], *(CXX_FLAGS if cxx else C_FLAGS), *flags, "-c", path, "-o", out, cwd=source)
            return out

        with ThreadPoolExecutor(JOBS) as pool:
            objects = list(pool.map(compiled, sorted(files)))
        run(self.tools["ar"], "rcsD", os.path.join(self.prefix, "lib", f"lib{name}.a"), *objects, cwd=source)

    def headers(self, source, *names, below=""):
        place = os.path.join(self.prefix, "include", below)
        os.makedirs(place, exist_ok=True)
        for name in names:
            shutil.copy(os.path.join(source, name), place)

    def described(self, library, package, libs, cflags=""):
        with open(os.path.join(self.prefix, "lib", "pkgconfig", package + ".pc"), "w", encoding="utf-8") as f:
            f.write(f"prefix=${{pcfiledir}}/../..\nName: {package}\nDescription: {library.name}\nVersion: {library.version.split('-')[0]}\n"
                    f"Cflags: -I${{prefix}}/include {cflags}\nLibs: -L${{prefix}}/lib {libs}\n")

    def configure(self, source, *options, flags=""):
        """Builds with Autoconf; files get the times from the archive, so that it does not regenerate
        itself."""
        host = self.target.replace("-linux-", "-unknown-linux-")
        run("./configure", f"--host={host}", f"--prefix={self.prefix}", *options, cwd=source,
            env={"CC": self.tools["cc"], "CXX": self.tools["cxx"], "AR": self.tools["ar"], "RANLIB": self.tools["ranlib"],
                 "CFLAGS": " ".join((*FLAGS[:2], *C_FLAGS[len(FLAGS):])) + " " + flags,
                 "CPPFLAGS": f"-I{self.prefix}/include", "LDFLAGS": f"-L{self.prefix}/lib"})


def names(source, pattern, without=()):
    found = [os.path.relpath(path, source) for path in glob.glob(os.path.join(source, pattern))]
    return [name for name in found if os.path.basename(name) not in without]


def zlib(build, library, source):
    build.archive(source, "z", names(source, "*.c"), ("-DHAVE_UNISTD_H", "-DHAVE_HIDDEN", "-D_LARGEFILE64_SOURCE=1"))
    build.headers(source, "zlib.h", "zconf.h")
    build.described(library, "zlib", "-lz")


def libdeflate(build, library, source):
    arch = "arm" if arch_of(build.target) == "aarch64" else "x86"
    build.archive(source, "deflate", names(source, "lib/*.c") + [f"lib/{arch}/cpu_features.c"], ("-I.",))
    build.headers(source, "libdeflate.h")
    build.described(library, "libdeflate", "-ldeflate")


def snappy(build, library, source):
    """These settings replace CMake's tests, which would compile for minutes."""
    with open(os.path.join(source, "snappy-stubs-public.h.in"), encoding="utf-8") as f:
        text = f.read()
    numbers = dict(zip(("PROJECT_VERSION_MAJOR", "PROJECT_VERSION_MINOR", "PROJECT_VERSION_PATCH"), library.version.split(".")))
    text = re.sub(r"\$\{(PROJECT_VERSION_\w+)\}", lambda m: numbers[m[1]], text)
    text = text.replace("${HAVE_SYS_UIO_H_01}", "1")
    with open(os.path.join(source, "snappy-stubs-public.h"), "w", encoding="utf-8") as f:
        f.write(text)
    has = ("BUILTIN_EXPECT", "BUILTIN_CTZ", "FUNC_MMAP", "FUNC_SYSCONF", "SYS_MMAN_H", "SYS_RESOURCE_H", "SYS_TIME_H", "SYS_UIO_H", "UNISTD_H")
    with open(os.path.join(source, "config.h"), "w", encoding="utf-8") as f:
        f.writelines(f"#define HAVE_{name} 1\n" for name in has)
    build.archive(source, "snappy", ["snappy.cc", "snappy-c.cc", "snappy-sinksource.cc", "snappy-stubs-internal.cc"],
                  ("-std=c++17", "-DHAVE_CONFIG_H", "-I.", "-fno-exceptions", "-fno-rtti", "-DNDEBUG"), cxx=True)
    build.headers(source, "snappy.h", "snappy-c.h", "snappy-sinksource.h", "snappy-stubs-public.h")
    build.described(library, "snappy", "-lsnappy")


def re2(build, library, source):
    """Debian's source lacks the Unicode tables; its scripts generate them from the package unicode-data."""
    path = os.path.join(source, "re2", "unicode.py")
    with open(path, encoding="utf-8") as f:
        text = f.read().replace("from six.moves import urllib", "import urllib.request")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    if not os.path.exists("/usr/share/unicode/UnicodeData.txt"):
        fail("/usr/share/unicode is missing: tools/setup.sh release installs it (unicode-data)")
    for made, maker in (("perl_groups", ("perl", "make_perl_groups.pl")), ("unicode_groups", ("python3", "make_unicode_groups.py")),
                        ("unicode_casefold", ("python3", "make_unicode_casefold.py"))):
        table = run(maker[0], f"re2/{maker[1]}", cwd=source)
        with open(os.path.join(source, "re2", made + ".cc"), "w", encoding="utf-8") as f:
            f.write(table)
    files = names(source, "re2/*.cc") + ["util/rune.cc", "util/strutil.cc"]
    build.archive(source, "re2", files, ("-std=c++17", "-I.", "-pthread", "-DNDEBUG"), cxx=True)
    build.headers(source, "re2/re2.h", "re2/stringpiece.h", "re2/set.h", "re2/filtered_re2.h", below="re2")
    build.described(library, "re2", "-lre2 -pthread", "-pthread")


def xxhash(build, library, source):
    build.headers(source, "xxhash.h")
    build.described(library, "libxxhash", "")


def sqlite3(build, library, source):
    """Builds the amalgamation with SQLite's own scripts, which need tclsh and the machine's
    compiler."""
    run("./configure", "--disable-tcl", "--disable-readline", cwd=source, env={"CC": "cc"})
    run("make", "sqlite3.c", cwd=source)
    flags = ("-DSQLITE_THREADSAFE=1", "-DSQLITE_DQS=0", "-DSQLITE_DEFAULT_MEMSTATUS=1",
             "-DSQLITE_OMIT_DEPRECATED", "-DSQLITE_ENABLE_MATH_FUNCTIONS", "-DSQLITE_LIKE_DOESNT_MATCH_BLOBS", "-DSQLITE_MAX_SCHEMA_RETRY=25")
    build.archive(source, "sqlite3", ["sqlite3.c"], flags)
    build.headers(source, "sqlite3.h")
    build.described(library, "sqlite3", "-lsqlite3 -lm -pthread")


def libmicrohttpd(build, library, source):
    build.configure(source, "--disable-https", "--disable-shared", "--enable-static", "--disable-doc", "--disable-examples",
                    "--disable-curl", "--disable-postprocessor", "--disable-dauth", "--with-pic", flags="-fvisibility=hidden")
    run("make", f"-j{JOBS}", "-C", "src/microhttpd", "libmicrohttpd.la", cwd=source)
    shutil.copy(os.path.join(source, "src/microhttpd/.libs/libmicrohttpd.a"), os.path.join(build.prefix, "lib"))
    build.headers(source, "src/include/microhttpd.h")
    build.described(library, "libmicrohttpd", "-lmicrohttpd -pthread")


def ncurses(build, library, source):
    """Builds only the part that reads terminal descriptions, with the common descriptions included, so that it needs
    no files."""
    need("infocmp", "ncurses-bin")
    build.configure(source, "--without-shared", "--without-ada", "--without-cxx", "--without-cxx-binding", "--without-debug", "--without-manpages",
                    "--without-progs", "--without-tests", "--without-tack", "--enable-widec", "--with-termlib=tinfo", "--disable-stripping",
                    "--with-build-cc=cc", "--with-default-terminfo-dir=/usr/share/terminfo",
                    "--with-terminfo-dirs=/etc/terminfo:/lib/terminfo:/usr/share/terminfo",
                    "--with-fallbacks=xterm,xterm-256color,linux,screen,screen-256color,tmux-256color,vt100")
    run("make", f"-j{JOBS}", "-C", "include", cwd=source)
    run("make", f"-j{JOBS}", "-C", "ncurses", "../lib/libtinfo.a", cwd=source)
    shutil.copy(os.path.join(source, "lib/libtinfo.a"), os.path.join(build.prefix, "lib"))
    build.headers(source, *(f"include/{name}.h" for name in ("curses", "term", "termcap", "unctrl", "ncurses_dll")))


def libedit(build, library, source):
    # libedit's configure looks for tgetent in libncurses
    for name in ("libncurses.a", "libncursesw.a"):
        link = os.path.join(build.prefix, "lib", name)
        if not os.path.lexists(link):
            os.symlink("libtinfo.a", link)
    build.configure(source, "--disable-shared", "--enable-static", "--disable-examples", "--with-pic",
                    flags="-fvisibility=hidden -D__STDC_ISO_10646__=201706L")
    run("make", f"-j{JOBS}", "-C", "src", "all", cwd=source)
    shutil.copy(os.path.join(source, "src/.libs/libedit.a"), os.path.join(build.prefix, "lib"))
    build.headers(source, "src/histedit.h")
    build.described(library, "libedit", "-ledit -ltinfo")


STEPS = {step.__name__: step for step in (zlib, libdeflate, snappy, re2, xxhash, sqlite3, libmicrohttpd, ncurses, libedit)}


def key(library):
    """A key that changes if the result would: recipe, sources or compiler."""
    digest = hashlib.sha256(repr((library, C_FLAGS, CXX_FLAGS, TARGETS)).encode())
    for part in (STEPS[library.name], Build, compilers, unpack):
        digest.update(inspect.getsource(part).encode())
    for path in glob.glob(os.path.join(VENV, "lib/python3*/site-packages/ziglang-*.dist-info")):
        digest.update(os.path.basename(path).encode())
    return digest.hexdigest()


def prefix_of(target):
    return os.path.join(CACHE, "deps", target)


def built(target):
    """Builds missing libraries; returns the prefix."""
    prefix, work = prefix_of(target), os.path.join(CACHE, "work", target)
    build = Build(target, prefix)
    os.makedirs(work, exist_ok=True)
    for library in LIBRARIES:
        ready, now = os.path.join(prefix, library.name + ".ready"), key(library)
        if os.path.exists(ready) and open(ready, encoding="utf-8").read() == now:
            continue
        print(f"release: {library.name} {library.version} for {target}", flush=True)
        shutil.rmtree(os.path.join(work, library.name), ignore_errors=True)
        STEPS[library.name](build, library, unpack(library, work))
        shutil.rmtree(os.path.join(work, library.name), ignore_errors=True)
        with open(ready, "w", encoding="utf-8") as f:
            f.write(now)
    return prefix


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: deps.py {'|'.join(TARGETS)}")
    reproducible()
    for program, package in (("dpkg-source", "dpkg-dev"), ("tclsh", "tcl"), ("perl", "perl"), ("cc", "gcc"), ("make", "make")):
        need(program, package)
    print(built(sys.argv[1]))


if __name__ == "__main__":
    main()
