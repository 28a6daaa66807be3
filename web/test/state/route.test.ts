// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { go, hashOf, parseRoute, withParams } from "../../src/state/route";
import { address, begin, depth } from "../page";

test("a route is the page, the profile and the parameters", () => {
  const { page, id, params } = parseRoute("#/p/a%20b/flops?peak_flops=400G");
  assert.deepEqual([page, id, params.get("peak_flops")], ["flops", "a b", "400G"]);
  assert.deepEqual(["#/p/x", "#/jobs", ""].map((h) => parseRoute(h).page), ["overview", "jobs", "profiles"]);
  assert.equal(parseRoute("#/p/%E0%A4%A/op").id, "%E0%A4%A");
});
test("an address leads back to its route", () => {
  for (const hash of ["#/p/a%20b/flops?x=1", "#/jobs", "#/"]) {
    const { page, id, params } = parseRoute(hash);
    assert.equal(hashOf(page, id, params), hash);
  }
});
test("a parameter is set, and removed by null; the route that was given stays as it is", () => {
  const before = parseRoute("#/p/a/more?by=query&sql=x");
  assert.equal(withParams(before, { sql: null, sort: "-n" }).params.toString(), "by=query&sort=-n");
  assert.equal(before.params.get("sql"), "x");
});
test("going is an act for Back; quietly it is none, and going where one is is nothing", () => {
  begin("#/p/a/more?by=query");
  const route = parseRoute(address());
  go(withParams(route, { sql: "SELECT 1" }));
  assert.deepEqual([address(), depth()], ["#/p/a/more?by=query&sql=SELECT+1", 1]);
  go(parseRoute(address()));
  assert.equal(depth(), 1);
  go(withParams(route, { sql: "SELECT 2" }), true);
  assert.deepEqual([address(), depth()], ["#/p/a/more?by=query&sql=SELECT+2", 1]);
});
