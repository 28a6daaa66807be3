#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what tfprof consists of: tools/release/sbom.py makes dist/tfprof-V.spdx.json (SPDX 2.3), `sbom.py --notice [PATH]`
the file NOTICE with the licences, which is not committed: each build makes it for `tfprof help licences`, packages for their
documents. Both come from libraries.py, web/package-lock.json and the texts in tools/release/licences."""
import base64
import datetime
import hashlib
import json
import os
import re
import sys

from common import DIST, ROOT, epoch, read, reproducible, version
from libraries import LIBRARIES, NPM_TOOLS, TOOLCHAIN, pool_of


def npm_packages():
    """(name, version, licence, sha512 in hex, address) of the packages in the page."""
    for place, row in json.loads(read("web", "package-lock.json"))["packages"].items():
        name = place.rpartition("node_modules/")[2]
        if not name or row.get("dev") or row.get("optional") or name in NPM_TOOLS:
            continue
        address = f"https://registry.npmjs.org/{name}/-/{name.rpartition('/')[2]}-{row['version']}.tgz"
        yield name, row["version"], row["license"], base64.b64decode(row["integrity"].split("-", 1)[1]).hex(), address


def npm_file(name):
    return "npm-" + name.lstrip("@").replace("/", "-")


def zig_sum():
    return re.search(r"^ziglang==\S+ --hash=sha256:(\w+)", read("tools", "release", "requirements.txt"), re.M)[1]


def package(name, number, licence, home, source, algorithm=None, value=None):
    made = {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-"), "name": name, "versionInfo": number,
            "licenseDeclared": licence, "licenseConcluded": licence, "homepage": home, "downloadLocation": source,
            "filesAnalyzed": False, "copyrightText": "NOASSERTION"}
    if value:
        made["checksums"] = [{"algorithm": algorithm, "checksumValue": value}]
    return made


def packages():
    home = re.search(r'^Homepage = "(.+)"', read("pyproject.toml"), re.M)[1]
    yield package("tfprof", version(), "Apache-2.0", home, "NOASSERTION")
    for library in LIBRARIES:
        name, value = next((name, value) for name, value in library.files.items() if ".orig.tar" in name)
        source = f"http://deb.debian.org/debian/{pool_of(library.debian.split()[0])}/{name}"
        yield package(library.name, library.version, library.licence, library.home, source, "SHA256", value)
    for name, number, licence, home in TOOLCHAIN:
        yield package(name, number, licence, home, "https://pypi.org/project/ziglang/", "SHA256", zig_sum())
    for name, number, licence, value, source in npm_packages():
        yield package(name, number, licence, f"https://www.npmjs.com/package/{name}", source, "SHA512", value)


def spdx():
    rows = list(packages())
    seen = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
    when = datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    links = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": rows[0]["SPDXID"]}]
    links += [{"spdxElementId": rows[0]["SPDXID"], "relationshipType": "STATIC_LINK" if "npmjs" not in row["homepage"] else "CONTAINS",
               "relatedSpdxElement": row["SPDXID"]} for row in rows[1:]]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tfprof-{version()}",
            "documentNamespace": f"{rows[0]['homepage']}/spdx/{version()}-{seen[:16]}",
            "creationInfo": {"created": when, "creators": ["Tool: tfprof make release"]}, "packages": rows, "relationships": links}


def licence_file(name):
    return os.path.join("tools", "release", "licences", name + ".txt")


def notice():
    """A section for each part, with its licence text; equal texts are written only once."""
    out = ["tfprof", "", "Licensed under the Apache License, Version 2.0: see LICENSE.", "",
           "The wheels and the static programs that `make release` builds contain the software below; Debian's packages and a build from",
           "source use the system's libraries, and contain only the packages of the page (npm).", "",
           "libmicrohttpd is under the GNU LGPL: its source is Debian's package libmicrohttpd 0.9.75-6, unchanged, and `make release` in",
           "tfprof's source distribution builds the programs again with any version of it (tools/release/libraries.py names it)."]
    parts = [(library.name, library.version, library.licence, f"Debian source package {library.debian}", library.name) for library in LIBRARIES]
    parts += [(name, number, licence, home, name) for name, number, licence, home in TOOLCHAIN]
    parts += [(name, number, licence, address, npm_file(name)) for name, number, licence, _, address in npm_packages()]
    for name, number, licence, source, text in parts:
        out += ["", "-" * 100, f"{name} {number}", f"Licence: {licence}", f"Source: {source}", "", read(licence_file(text)).strip()]
    return "\n".join(line.rstrip() for line in "\n".join(out).replace("\f", "\n").splitlines()) + "\n"


def write_notice(path=os.path.join(ROOT, "NOTICE")):
    with open(path, "w", encoding="utf-8") as f:
        f.write(notice())


def main():
    if sys.argv[1:2] == ["--notice"]:
        write_notice(*sys.argv[2:])
        return
    reproducible()
    os.makedirs(DIST, exist_ok=True)
    path = os.path.join(DIST, f"tfprof-{version()}.spdx.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write(json.dumps(spdx(), indent=1) + "\n")
    print(path)


if __name__ == "__main__":
    main()
