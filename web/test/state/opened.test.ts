// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, shortFile } from "../../src/state/opened";

test("a file is called without its endings, ranks by their folder", () => {
  assert.equal(shortFile("a/resnet.pt.trace.json.gz"), "a/resnet");
  assert.equal(nameOf("runs/rank-0.json", ["runs/rank-0.json", "runs/rank-1.json"]), "runs");
  assert.equal(nameOf("ddp_rank0.json", ["/a/ddp_rank0.json", "/a/ddp_rank1.json"]), "ddp");
  assert.equal(nameOf("rank-10.json", ["/a/job/rank-10.json", "/a/job/rank-11.json"]), "job");
  assert.equal(nameOf("graph.pb", ["/a/graph.pb", "/a/run_meta_0"]), "graph");
  assert.equal(nameOf("../runs/train.json.gz", ["/a/runs/train.json.gz"]), "train");
  assert.equal(nameOf("../a/job/rank-0.json", ["/a/job/rank-0.json", "/a/job/rank-1.json"]), "job");
});
