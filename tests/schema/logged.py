# SPDX-License-Identifier: Apache-2.0
"""Keeps the JSON answers that tests provoke, for tests/schema/check_logged.py: with TFPROF_ANSWERS=FILE each is a line of that file."""
import json
import os

FILE = os.environ.get("TFPROF_ANSWERS")


def log(kind, text, what=""):
    """kind: command, http, mcp or the name of a part of the schema; text that is no JSON object, nor lines of objects, and files of
    others' formats (downloads) are left out."""
    if not FILE or "|" in what or "/download/" in what or not text.lstrip().startswith("{"):
        return
    if "-format jsonl" in what:
        kind = "jsonl"
    try:
        answers = [(kind, json.loads(text))]
    except ValueError:
        try:
            answers = [("jsonl", json.loads(line)) for line in text.splitlines()]
        except ValueError:
            return
    lines = [json.dumps({"kind": one, "what": what[:200], "answer": answer}) + "\n" for one, answer in answers if isinstance(answer, dict)]
    file = os.open(FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(file, "".join(lines).encode())  # one call, because suites run beside each other
    os.close(file)
