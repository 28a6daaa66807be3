// SPDX-License-Identifier: Apache-2.0
// Panels for the tests of the details: drawn for a thing, their sections in order.
import { createElement } from "preact";
import { PANELS } from "../../src/details/kinds";
import { forgetAll } from "../../src/answers/data";
import type { Kind } from "../../src/state/store";
import { select } from "../../src/state/store";
import { all, erase, shown, textOf } from "../drawn";
import { begin } from "../page";
import { opened } from "../profile";

export async function panel(kind: Kind, id: string, of = opened(), hash = "#/p/a1/table"): Promise<HTMLElement> {
  erase();
  forgetAll();
  begin(hash);
  select({ kind, id });
  const Panel = PANELS[kind];
  if (!Panel) throw new Error(`no panel of a ${kind}`);
  return shown(createElement(Panel, { key: `${kind} ${id}`, thing: { kind, id }, of }));
}
export const sections = (): string[] => all("section").map((s) => s.getAttribute("aria-label") ?? "");
export const big = (): string => textOf(all(".big")[0]);
