#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the answers that other tests provoked against docs/schema.json: check_logged.py FILE

FILE has what tests/schema/logged.py kept. An answer of a command that names its schema must fit the document of its kind, one of the
server and of mcp always. Parts of the schema that no answer reached are listed: their answers have no test."""
import collections
import json
import os
import sys

import validating

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


BY_CHANCE = {"http_loading"}  # a machine that is fast enough has read a profile before the first answer


def schema_of(whole, kind, answer):
    """The part of the document that the answer must fit; None: it says nothing about its form."""
    if kind == "command" and not str(answer.get("schema", "")).startswith("tfprof.") or kind == "jsonl" and "view" not in answer and "schema" not in answer and "row" not in answer:
        return None
    return {"$ref": f"#/$defs/{kind}"} if kind in whole["$defs"] else {"oneOf": whole["oneOf"]}


def main():
    with open(os.path.join(ROOT, "docs", "schema.json"), encoding="utf-8") as f:
        whole = json.load(f)
    counts, seen = validating.Counts(), collections.Counter()
    with open(sys.argv[1], encoding="utf-8") as f:
        for line in sorted(set(f)):
            one = json.loads(line)
            schema = schema_of(whole, one["kind"], one["answer"])
            seen[one["kind"] if schema else "without a schema"] += 1
            if schema:
                wrong = validating.fault(one["answer"], schema, whole)
                counts.check(f"{one['kind']} {one['what']}", wrong is None, wrong)
    never = [name for name in whole["$defs"] if name not in validating.REACHED]
    print("answers: " + ", ".join(f"{n} of {kind}" for kind, n in sorted(seen.items())))
    for name in set(never) - BY_CHANCE:
        counts.check(f"an answer of {name}", False, "no test provoked one")
    print(f"{counts.passed} passed, {counts.failed} failed")
    return 1 if counts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
