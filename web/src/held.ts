// The answers that a report of `tfprof report` holds in itself: packed, a data element each. On a served page there are none.

interface Held {
  element: Element;
  select: string[] | null; // the columns that it has, of views
}

const VIEW = /\/views\/(scope|graph|op|code)$/;

/** An ask by which it is found, whatever the order of its parameters. A view has all columns, whichever are asked for. */
function keyOf(path: string, pairs: string[]): string {
  const kept = VIEW.test(path) ? pairs.filter((p) => !p.startsWith("select=")) : pairs;
  const name = (pair: string): string => pair.slice(0, pair.indexOf("="));
  // those of one name stay in their order
  return [path, ...kept.filter((p) => !p.endsWith("=")).sort((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0))].join("\t");
}

function readHeld(): Map<string, Held> {
  const found = new Map<string, Held>();
  for (const element of document.querySelectorAll("script[data-ask]")) {
    const [path = "", ...pairs] = (element.getAttribute("data-ask") ?? "").split("\t");
    const select = VIEW.test(path) ? pairs.find((p) => p.startsWith("select=")) : undefined;
    found.set(keyOf(path, pairs), { element, select: select?.slice("select=".length).split(",") ?? null });
  }
  return found;
}

const held = readHeld();
/** The step that the report was asked to show; "" when it is the mean of all. */
export const reportStep = document.querySelector("script[data-step]")?.getAttribute("data-step") ?? "";

/** Whether this page is a report, which asks nobody. */
export const isReport = held.size > 0;

function find(ask: string): { at: Held | undefined; select: string[] | null } {
  const [path = "", query = ""] = ask.split("?", 2);
  const params = new URLSearchParams(query);
  if (reportStep && VIEW.test(path) && !params.has("step")) params.set("step", reportStep);
  const at = held.get(keyOf(path, [...params].map(([name, value]) => `${name}=${value}`)));
  return { at, select: at?.select ? (params.get("select")?.split(",") ?? null) : null };
}

/** The columns of a held view that were asked for; null: all. */
export function wantedColumns(ask: string): ((name: string) => boolean) | null {
  const { select } = find(ask);
  if (!select) return null;
  const shared: Record<string, string> = { runs: "occurrence", definitions: "occurrence", tensor_dtype: "tensor_value", tensor_shape: "tensor_value" };
  const selectable = new Set(heldColumns());
  return (name) => {
    const plain = name.replace(/^total_/, "");
    const column = shared[plain] ?? plain;
    return !selectable.has(column) || select.includes(column);
  };
}

/** Why there is no answer; "" when there is one. */
export function whyNot(ask: string): string {
  const { at, select } = find(ask);
  if (!at || select?.some((s) => !at.select?.includes(s))) return "This report does not hold it; tfprof serve FILE shows it.";
  return at.element.getAttribute("data-left") ?? "";
}

/** The answer's bytes. */
export async function heldAnswer(ask: string): Promise<Response> {
  const packed = atob((find(ask).at?.element.textContent ?? "").trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

/** The columns that views of a report can show. */
export function heldColumns(): string[] {
  return [...new Set([...held.values()].flatMap((h) => h.select ?? []))];
}

/** The one step whose runs a report holds, of those that a profile has. */
export function heldSteps(steps: number[]): number[] {
  return isReport ? steps.filter((s) => (reportStep ? String(s) === reportStep : s === steps[0])) : steps;
}

/** Asks that begin so. */
export function holdsAny(path: string): boolean {
  return [...held.keys()].some((key) => key.startsWith(path));
}
