# SPDX-License-Identifier: Apache-2.0
"""What is linked into the shipped programs: version, source, sum and licence of each library. The build (deps.py), the
SBOM and NOTICE read this table.

Sources are those of Debian 12, with Debian's patches where it has any that matter (SQLite and libmicrohttpd have
security fixes there), so that a user finds the same source in Debian's archive."""
from collections import namedtuple

Library = namedtuple("Library", "name version debian licence home files patched")
POOL = "pool/main"


def library(name, version, debian, licence, home, files, patched=True):
    return Library(name, version, debian, licence, home, dict(line.split()[::-1] for line in files.strip().splitlines()), patched)


LIBRARIES = (
    library("zlib", "1.2.13", "zlib 1.2.13.dfsg-1", "Zlib", "https://zlib.net", """
3fa1e6b2fc525062aa88207dda52fed8e045373c809d362fe8a2bfbf7cf515a8 zlib_1.2.13.dfsg-1.dsc
f66cf3d4f2d7defcd4d1fd1fb0a11ee39f1e01b42ec7d059c9dc5c1695133c44 zlib_1.2.13.dfsg-1.debian.tar.xz
71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1 zlib_1.2.13.dfsg.orig.tar.bz2"""),
    library("libdeflate", "1.14", "libdeflate 1.14-1", "MIT", "https://github.com/ebiggers/libdeflate", """
1f82791c5ac5623ed110e09cc991471deebfe4c419414392d1242e122c6f4c19 libdeflate_1.14-1.dsc
4794c379cc4e77eaeb283620bd80a7ce57b858af508f80ba6d5efbc4bcb10434 libdeflate_1.14-1.debian.tar.xz
89e7df898c37c3427b0f39aadcf733731321a278771d20fc553f92da8d4808ac libdeflate_1.14.orig.tar.gz"""),
    library("snappy", "1.1.9", "snappy 1.1.9-3", "BSD-3-Clause", "https://github.com/google/snappy", """
7651f9ca32704e95b17e3d288858c374dad88a0d4f95fc6a04a96bc7b83c8e7e snappy_1.1.9-3.dsc
78d8c910467ab2b8c7434a200167ba9cae7b7ade6f931bf7c8ea3f2fcc50e4af snappy_1.1.9-3.debian.tar.xz
75c1fbb3d618dd3a0483bff0e26d0a92b495bbe5059c8b4f1c962b478b6e06e7 snappy_1.1.9.orig.tar.gz"""),
    library("re2", "20220601", "re2 20220601+dfsg-1", "BSD-3-Clause", "https://github.com/google/re2", """
e0d2eab89a0312e9a0ba4e9a6fb18b081764d6776a28496d389aa3831d970940 re2_20220601+dfsg-1.dsc
6e93860fc6d5a7bc94f0cb235f107545a332e6cd37c3a4060982b9caa47a2570 re2_20220601+dfsg-1.debian.tar.xz
3bc61251da3b0b97be40a8a127818c517c62516e4eda11fc901d29496663df54 re2_20220601+dfsg.orig.tar.xz"""),
    library("xxhash", "0.8.1", "xxhash 0.8.1-1", "BSD-2-Clause", "https://xxhash.com", """
4a961627c06efc8fa3bc4b06ee9dba6cfaf092f2550b88d63e9218a2728721b4 xxhash_0.8.1-1.dsc
d40aa223e90b85435082857b64573541ba9a995841717496e8975aed97241550 xxhash_0.8.1-1.debian.tar.xz
3bb6b7d6f30c591dd65aaaff1c8b7a5b94d81687998ca9400082c739a690436c xxhash_0.8.1.orig.tar.gz"""),
    library("sqlite3", "3.40.1", "sqlite3 3.40.1-2+deb12u2", "blessing", "https://www.sqlite.org", """
ee3459ae9d00939741c7708fc1b8ce1bde12d8c3fb1dfa005bbbc8651d884e23 sqlite3_3.40.1-2+deb12u2.dsc
0843bc12e4364076477935ce313a6d0796fd899a989ff18ebb6545540e10e4ca sqlite3_3.40.1-2+deb12u2.debian.tar.xz
a5e95a18d1b59729278860559ded78751b9163ffb5bb906c5cd24c015f71d5fd sqlite3_3.40.1.orig-www.tar.xz
aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655 sqlite3_3.40.1.orig.tar.xz"""),
    library("libmicrohttpd", "0.9.75", "libmicrohttpd 0.9.75-6", "LGPL-2.1-or-later", "https://www.gnu.org/software/libmicrohttpd/", """
c0f8a9cd77c41285d2d48fc68bbee2e460a55042fcd5d3f6b9946c017d4b6846 libmicrohttpd_0.9.75-6.dsc
566c247bfbf67e20858705ae695f58db747d50ed8512f2bc46a28bef9086e5af libmicrohttpd_0.9.75-6.debian.tar.xz
796e7e217a4802679fcac667a4e98501c53185dcf50ca0583870e84192620131 libmicrohttpd_0.9.75.orig.tar.xz"""),
    library("ncurses", "6.4", "ncurses 6.4-4", "X11-distribute-modifications-variant", "https://invisible-island.net/ncurses/", """
a35710b02a3de6ab8f9da7fa2e3726a609cc26c936ad85b2094ef91aa996fc94 ncurses_6.4-4.dsc
97218f48c32e375121d33ebc8a0f53afadb776ddace9003f032970749a33677d ncurses_6.4-4.debian.tar.xz
6931283d9ac87c5073f30b6290c4c75f21632bb4fc3603ac8100812bed248159 ncurses_6.4.orig.tar.gz
f9096c5311eab61908c142e77e58f503f9228e13d351365b3c331ca5ad5a67db ncurses_6.4.orig.tar.gz.asc"""),
    # With Debian's patches it needs libbsd; upstream's source does not.
    library("libedit", "3.1-20221030", "libedit 3.1-20221030-2", "BSD-3-Clause", "https://www.thrysoee.dk/editline/", """
f0925a5adf4b1bf116ee19766b7daa766917aec198747943b1c4edf67a4be2bb libedit_3.1-20221030.orig.tar.gz""", patched=False),
)


def pool_of(source):
    """The folder of a source package in Debian's archive."""
    return f"{POOL}/{source[:4] if source.startswith('lib') else source[0]}/{source}"

# Libraries that come with the compiler: (name, version, licence, home). Their sum is that of
# ziglang's package.
TOOLCHAIN = (
    ("musl", "1.2.5", "MIT", "https://musl.libc.org"),
    ("llvm", "22.1.8", "Apache-2.0 WITH LLVM-exception", "https://llvm.org"),
    ("zig", "0.17.1", "MIT", "https://ziglang.org"),
)
# Used by the page's build, but not part of the page.
NPM_TOOLS = ("esbuild",)
