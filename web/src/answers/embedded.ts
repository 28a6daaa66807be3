// SPDX-License-Identifier: Apache-2.0
// The answers inside a file of `tfprof report`: one compressed data element each. A served page has none.

interface Embedded {
  element: Element;
  select: string[] | null; // for views: the columns that the answer has
}

/** An embedded answer, and the columns wanted of it; null: all. */
export interface Part {
  element: Element;
  wanted: ((name: string) => boolean) | null;
}

const VIEW = /\/views\/(scope|graph|op|code|calls)$/;
const OWN = "float_ops_source=own";

/** A key for a request, whatever the order of its parameters. A view's answer has all columns, so they are not in the key; its rows
 * have one order, and pages sort them as they like. */
function keyOf(path: string, pairs: string[]): string {
  const kept = VIEW.test(path) ? pairs.filter((p) => !/^(select|order_by)=/.test(p)) : pairs;
  const name = (pair: string): string => pair.slice(0, pair.indexOf("="));
  // parameters of one name keep their order
  return [path, ...kept.filter((p) => !p.endsWith("=")).sort((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0))].join("\t");
}

function readEmbedded(): Map<string, Embedded> {
  const found = new Map<string, Embedded>();
  for (const element of document.querySelectorAll("script[data-ask]")) {
    const [path = "", ...pairs] = (element.getAttribute("data-ask") ?? "").split("\t");
    const select = VIEW.test(path) ? pairs.find((p) => p.startsWith("select=")) : undefined;
    found.set(keyOf(path, pairs), { element, select: select?.slice("select=".length).split(",") ?? null });
  }
  return found;
}

const embedded = readEmbedded();

/** The step for which the report was made; "" for the mean of all. */
export const reportStep = document.querySelector("script[data-step]")?.getAttribute("data-step") ?? "";

/** Whether this page is a report, which makes no requests. */
export const isReport = embedded.size > 0;

/** The columns that views of a report can show. */
export function embeddedColumns(): string[] {
  return [...new Set([...embedded.values()].flatMap((h) => h.select ?? []))];
}

/** The column of -select to which a column of a view belongs. */
export function selectedBy(name: string): string {
  const shared: Record<string, string> = { runs: "occurrence", definitions: "occurrence", tensor_dtype: "tensor_value", tensor_shape: "tensor_value" };
  const plain = name.replace(/^total_/, "");
  return shared[plain] ?? plain;
}

/** The answers to a request: one embedded answer, or for a view two when some columns are computed from the graph. null: none. */
export function embeddedParts(ask: string): Part[] | null {
  const [path = "", query = ""] = ask.split("?", 2);
  const params = new URLSearchParams(query);
  if (reportStep && VIEW.test(path) && !params.has("step")) params.set("step", reportStep);
  const pairs = [...params].map(([name, value]) => `${name}=${value}`);
  const found = embedded.get(keyOf(path, pairs));
  const select = params.get("select")?.split(",") ?? [];
  if (!found) return null;
  if (!found.select || !select.length) return [{ element: found.element, wanted: null }];
  const here = select.filter((s) => found.select?.includes(s));
  const rest = select.filter((s) => !here.includes(s));
  const other = rest.length ? embedded.get(keyOf(path, pairs.filter((p) => p !== OWN))) : undefined;
  if (rest.some((s) => !other?.select?.includes(s))) return null;
  const selectable = new Set(embeddedColumns());
  const first: Part = { element: found.element, wanted: (name) => !selectable.has(selectedBy(name)) || here.includes(selectedBy(name)) };
  return other ? [first, { element: other.element, wanted: (name) => rest.includes(selectedBy(name)) }] : [first];
}

/** Why there is no answer; "" when there is one. */
export function whyNot(parts: Part[] | null): string {
  if (!parts) return "This report does not hold it; tfprof serve FILE shows it.";
  return parts.map((p) => p.element.getAttribute("data-left")).find((why) => why !== null) ?? "";
}

export interface LeftOut {
  why: string;
  what: string[];
}

/** What did not fit into the report, by reason; of one profile, or of all. */
export function leftOut(id = ""): LeftOut[] {
  const found = new Map<string, Set<string>>();
  for (const { element } of embedded.values()) {
    const [what, why] = [element.getAttribute("data-over"), element.getAttribute("data-left") ?? ""];
    const mine = !id || (element.getAttribute("data-ask") ?? "").startsWith(`/api/v1/profiles/${id}/`);
    if (what !== null && mine) found.set(why, (found.get(why) ?? new Set()).add(what));
  }
  return [...found].map(([why, what]) => ({ why, what: [...what] }));
}

/** The bytes of a long table, which stand by their place in a number (server/report_page.h), in their order again. */
function inOrder(data: ArrayBuffer, block = 65536): ArrayBuffer {
  const bytes = new Uint8Array(data);
  const begin = bytes.length < 12 ? bytes.length : 12 + new DataView(data).getUint32(8, true);
  for (let at = begin; at + block <= bytes.length; at += block) {
    const planes = bytes.slice(at, at + block);
    for (let plane = 0, i = 0; plane < 8; plane++) for (let to = at + plane; to < at + block; to += 8) bytes[to] = planes[i++] ?? 0;
  }
  return data;
}

/** A table's bytes. */
export async function tableBytes(part: Part): Promise<ArrayBuffer> {
  const data = await unpack(part).arrayBuffer();
  return part.element.hasAttribute("data-planes") ? inOrder(data) : data;
}

/** The answer's bytes. */
export function unpack(part: Part): Response {
  const packed = atob((part.element.textContent ?? "").trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

/** The one step whose runs a report holds. */
export function embeddedSteps(steps: number[]): number[] {
  return isReport ? steps.filter((s) => (reportStep ? String(s) === reportStep : s === steps[0])) : steps;
}
