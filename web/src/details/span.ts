// SPDX-License-Identifier: Apache-2.0
// The facts about one span: from the server, or from the report's own spans.
import { profilePath } from "../answers/api";
import { jsonOnce, once } from "../answers/data";
import { isReport } from "../answers/embedded";
import type { Opened } from "../state/opened";
import type { Details } from "../timeline/data";
import { embeddedSource } from "../timeline/embedded";

export function spanDetails(of: Opened, span: number): Promise<Details> {
  if (!isReport) return jsonOnce<Details>(profilePath(of.id, `spans/${span}`));
  const never = new AbortController().signal;
  return once(`held ${of.id}`, () => embeddedSource(of.id, String(of.facts.steps[0] ?? 0), never)).then((source) => source.details(span, never));
}
