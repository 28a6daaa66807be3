// SPDX-License-Identifier: Apache-2.0
// A finding of advice leads to the rows that it speaks of: "... (tfprof steps -critical_path)".
import type { Route } from "../route";
import { hashOf } from "../route";

const COMMAND = /\(tfprof (\w+)((?: -\w+)*)[^)]*\)\s*$/;
const PAGES = new Set(["steps", "transfer", "wait", "check", "kernel", "op", "code", "memory"]);

export function Evidence({ route, report }: { route: Route; report: string }) {
  const found = COMMAND.exec(report);
  const page = found?.[1] ?? "";
  if (!PAGES.has(page)) return null;
  const params = new URLSearchParams(found?.[2]?.includes("-critical_path") ? { critical_path: "true" } : {});
  return <p><a href={hashOf(page, route.id, params)}>Show the rows of {page}</a></p>;
}
