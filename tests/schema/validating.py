# SPDX-License-Identifier: Apache-2.0
"""Checks values against schemas, and counts the checks: with PyPI's jsonschema if it is installed, and always with the few rules here,
so that the tests run without it."""
import json
import subprocess

from logged import log

try:
    import jsonschema
except ImportError:
    jsonschema = None

KNOWN = {"$schema", "$id", "title", "description", "$defs", "$ref", "oneOf", "anyOf", "type", "const", "enum", "required", "properties",
         "additionalProperties", "items"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


REACHED = set()  # parts of schemas that some value fitted


class Counts:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, ok, what=""):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        if not ok:
            print(f"{name}: {str(what)[-600:]}", flush=True)


def is_type(value, name):
    if name in ("number", "integer"):
        return not isinstance(value, bool) and isinstance(value, (int, float) if name == "number" else int)
    return isinstance(value, TYPES[name])


def fault_of_parts(value, schema, whole, at):
    """The first violation of $ref, oneOf and anyOf."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if f := fault(value, whole["$defs"][name], whole, at):
            return f
        REACHED.add(name)
    if "oneOf" in schema and (n := sum(fault(value, s, whole, at) is None for s in schema["oneOf"])) != 1:
        return f"{at}: fits {n} of oneOf"
    if "anyOf" in schema and all(fault(value, s, whole, at) for s in schema["anyOf"]):
        return f"{at}: fits none of anyOf"
    return None


def fault(value, schema, whole, at="$"):
    """The place where a value violates a schema, or None; supports the part of JSON Schema that
    ours use."""
    if schema is False:
        return f"{at}: must not be there"
    if set(schema) - KNOWN:
        return f"{at}: this checker knows no {set(schema) - KNOWN}"
    if f := fault_of_parts(value, schema, whole, at):
        return f
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        return f"{at}: {value!r} is not {schema.get('const', schema.get('enum'))!r}"
    types = schema.get("type", [])
    if types and not any(is_type(value, t) for t in ([types] if isinstance(types, str) else types)):
        return f"{at}: {value!r} is not {types}"
    if isinstance(value, dict):
        return fault_of_object(value, schema, whole, at)
    if isinstance(value, list) and "items" in schema:
        return next((f for i, x in enumerate(value) if (f := fault(x, schema["items"], whole, f"{at}[{i}]"))), None)
    return None


def fault_of_object(value, schema, whole, at):
    if missing := set(schema.get("required", [])) - set(value):
        return f"{at}: lacks {missing}"
    known = schema.get("properties", {})
    for key, x in value.items():
        part = known.get(key, schema.get("additionalProperties", True))
        if part is False:
            return f"{at}: {key!r} is not in the schema"
        if part is not True and (f := fault(x, part, whole, f"{at}.{key}")):
            return f
    return None


class Schemas:
    """The output of `tfprof help schema NAME`, which runs once for each name."""

    def __init__(self, program):
        self.program, self.known = program, {}

    def named(self, *words):
        if words not in self.known:
            told = json.loads(subprocess.run([self.program, "help", "schema", *words], capture_output=True, text=True, check=True).stdout)
            library = None
            if jsonschema:
                jsonschema.Draft202012Validator.check_schema(told)
                library = jsonschema.Draft202012Validator(told)
            self.known[words] = told, library
        return self.known[words]

    def fault(self, value, *words):
        """The place where the value violates the schema with that name, or None."""
        if words and words[-1].startswith(("http_", "mcp_", "baseline", "manifest")):
            log(words[-1], json.dumps(value), "tests/schema")
        told, library = self.named(*words)
        ours = fault(value, told, told)
        theirs = next(library.iter_errors(value), None) if library else None
        if library and bool(ours) != bool(theirs):
            return f"the two checkers differ: {ours}, {theirs and theirs.message}"
        return ours
