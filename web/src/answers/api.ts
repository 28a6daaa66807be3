// SPDX-License-Identifier: Apache-2.0
// Requests to the server, and how its answers are decoded. docs/http.md describes both.
import { serverGone } from "./alive";
import type { Part } from "./embedded";
import { embeddedColumns, embeddedParts, isReport, selectedBy, tableBytes, unpack, whyNot } from "./embedded";

export interface ProfileEntry {
  id: string;
  name: string;
  folder: string;
  format: string;
  files?: string[]; // all files that it is read from, as on the command line
  bytes: number;
  modified: number;
  state: "unread" | "loading" | "ready" | "failed";
  progress: number;
  error: string | null;
  steps: number;
  nodes: number;
}

export interface ProfileList {
  changed: number;
  notes?: string[];
  profiles: ProfileEntry[];
}

export interface ProfileFacts {
  id: string;
  name?: string;
  nodes: number;
  steps: number[];
  warnings: string[];
  coverage: number[];
  has?: { code: boolean; stacks: boolean; memory: boolean; checkpoint: boolean; graph: boolean; timeline: boolean; times: boolean; trace: boolean; heap?: boolean; shapes?: boolean; phases?: boolean };
}

/** Something ran at a known time. */
export const hasTimeline = (facts: ProfileFacts): boolean => facts.steps.length > 0 || (facts.has?.trace ?? false);

/** Of how many steps the sums of operations, scopes and lines are: without a trace the program gives a mean over the steps. */
export const stepsInSums = (facts: ProfileFacts): number => (facts.has?.trace ? Math.max(1, facts.steps.length) : 1);

/** A memory snapshot alone: it has nothing that ran. */
export const isOfHeap = (facts: ProfileFacts): boolean => facts.nodes === 0 && !facts.has?.trace && (facts.has?.heap ?? false);
/** Sampled stacks have lines of code and no nodes. */
export const isOfStacks = (facts: ProfileFacts): boolean => facts.nodes === 0 && (facts.has?.code ?? false);

export interface Named {
  name: string;
  help: string | null;
}

export interface OptionRow extends Named {
  kind: "boolean" | "value";
  value: string | null;
  commands: string | null;
}

export interface Tables {
  version: string;
  live?: boolean; // running jobs are shown too
  index?: string; // the folder of an index, whose runs are listed
  watch?: boolean; // it is a store of `tfprof watch`
  views: Named[];
  columns: Named[];
  options: OptionRow[];
  orders: Named[];
  checkers: Named[];
  outputs: Named[];
  formats: Named[];
}

/** An error with a message for people. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export type Progress = (part: number) => void;

/** A path of the API about one profile. Ids come from the address, so they may hold anything. */
export const profilePath = (id: string, rest = ""): string => `/api/v1/profiles/${encodeURIComponent(id)}${rest && `/${rest}`}`;

/** The path of a query. */
export const queryPath = (id: string, sql: string): string => profilePath(id, `query?sql=${encodeURIComponent(sql)}`);

const BUSY_TRIES = 8; // after that the page shows the server's message
const BUSY_MS = 1000;

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, stop) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      stop(new DOMException("aborted", "AbortError"));
    });
  });
}

async function refusal(answer: Response): Promise<ApiError> {
  const text = await answer.text();
  try {
    return new ApiError((JSON.parse(text) as { error: string }).error, answer.status);
  } catch {
    return new ApiError(text || answer.statusText, answer.status);
  }
}

function embedded(path: string): Part[] {
  const parts = embeddedParts(path);
  const why = whyNot(parts);
  if (why) throw new ApiError(why, 404);
  return parts ?? [];
}

/** Repeats the request until the profile is read, and reports progress; a busy server is asked a few times only. */
async function ask(path: string, signal?: AbortSignal, progress?: Progress): Promise<Response> {
  if (isReport) {
    const [part] = embedded(path);
    return part ? unpack(part) : Response.error();
  }
  for (let tries = 1; ; ) {
    let answer: Response;
    try {
      answer = await fetch(path, { signal: signal ?? null, credentials: "same-origin" });
    } catch (fault) {
      if (fault instanceof DOMException) throw fault;
      serverGone.value = true;
      throw new ApiError("tfprof serve does not answer", 0);
    }
    if (answer.status === 202) {
      progress?.(((await answer.json()) as { progress: number }).progress);
      await wait(200, signal);
    } else if (answer.status === 503 && tries++ < BUSY_TRIES) {
      await wait(BUSY_MS, signal);
    } else if (!answer.ok) {
      throw await refusal(answer);
    } else {
      return answer;
    }
  }
}

export async function json<T>(path: string, signal?: AbortSignal, progress?: Progress): Promise<T> {
  return (await (await ask(path, signal, progress)).json()) as T;
}

export async function text(path: string, signal?: AbortSignal, progress?: Progress): Promise<string> {
  return (await ask(path, signal, progress)).text();
}

export async function bytes(path: string): Promise<Blob> {
  return (await ask(path)).blob();
}

/** The columns and the state that a page may use: a report has fewer columns, and one state for each view. */
export async function tables(): Promise<Tables> {
  const all = await json<Tables>("/api/v1/tables");
  if (!isReport) return all;
  const columns = embeddedColumns();
  return { ...all, options: [], columns: all.columns.filter((c) => columns.includes(c.name)) };
}
export const profiles = (signal?: AbortSignal): Promise<ProfileList> => json<ProfileList>("/api/v1/profiles", signal);
/** Resolves when the list has changed since `since`, or after a while. */
export const changes = (since: number, signal?: AbortSignal): Promise<{ changed: number }> => json(`/api/v1/changes?since=${since}`, signal);
export const profile = (id: string, signal?: AbortSignal, progress?: Progress): Promise<ProfileFacts> =>
  json<ProfileFacts>(profilePath(id), signal, progress);

// ---- tables of columns ----

interface ColumnHead {
  name: string;
  unit: string | null;
  type: "number" | "bool" | "text";
  at: number;
  nulls: number | null;
  texts?: number;
  text_at?: number;
  bytes_at?: number;
  short?: string[];
}

interface TableHead {
  row_count: number;
  tree: boolean;
  view: string;
  notes: string[];
  note_codes: string[];
  columns: ColumnHead[];
}

export interface Column {
  name: string;
  unit: string | null;
  type: "number" | "bool" | "text";
/** Numbers, 0 and 1, or indexes into `texts`. */
  values: Float64Array | Uint8Array | Uint32Array;
  absent: Uint8Array | null;
  texts: string[] | null;
  short: string[] | null; // names of kernels by their meaning, row by row
}

export interface Table {
  view: string;
  rows: number;
  tree: boolean;
  notes: string[];
  noteCodes: string[]; // the code of each note, in the same order
  columns: Column[];
  column(name: string): Column | undefined;
}

/** Decodes all texts at once if they are ASCII, as names usually are; otherwise one by one. */
function readTexts(data: ArrayBuffer, start: number, head: ColumnHead): string[] {
  const count = head.texts ?? 0;
  const offsets = new Uint32Array(data, start + (head.text_at ?? 0), count + 1);
  const bytes = new Uint8Array(data, start + (head.bytes_at ?? 0), offsets[count] ?? 0);
  const decoder = new TextDecoder();
  const whole = decoder.decode(bytes);
  const out = new Array<string>(count);
  const plain = whole.length === bytes.length;
  for (let i = 0; i < count; i++) {
    const from = offsets[i] ?? 0;
    const to = offsets[i + 1] ?? 0;
    out[i] = plain ? whole.slice(from, to) : decoder.decode(bytes.subarray(from, to));
  }
  return out;
}

function readColumn(data: ArrayBuffer, start: number, rows: number, head: ColumnHead): Column {
  const at = start + head.at;
  const values =
    head.type === "text"
      ? new Uint32Array(data, at, rows)
      : head.type === "bool"
        ? new Uint8Array(data, at, rows)
        : new Float64Array(data, at, rows);
  return {
    name: head.name,
    unit: head.unit,
    type: head.type,
    values,
    absent: head.nulls === null ? null : new Uint8Array(data, start + head.nulls, rows),
    texts: head.type === "text" ? readTexts(data, start, head) : null,
    short: head.short ?? null,
  };
}

/** Without `wanted` every column is decoded. */
export function readTable(data: ArrayBuffer, wanted: ((name: string) => boolean) | null = null): Table {
  const words = new DataView(data);
  if (data.byteLength < 12 || words.getUint32(0, true) !== 0x43504654) throw new ApiError("not a table of tfprof", 0);
  const size = words.getUint32(8, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 12, size))) as TableHead;
  const columns = head.columns.filter((c) => wanted?.(c.name) ?? true).map((c) => readColumn(data, 12 + size, head.row_count, c));
  return makeTable({ view: head.view, rows: head.row_count, tree: head.tree, notes: head.notes, noteCodes: head.note_codes, columns });
}

function makeTable(of: Omit<Table, "column">): Table {
  const byName = new Map(of.columns.map((c) => [c.name, c]));
  return { ...of, column: (name) => byName.get(name) };
}

/** Columns that a report holds in several parts with the same rows. */
async function embeddedTable(path: string): Promise<Table> {
  const [first, ...more] = await Promise.all(embedded(path).map(async (p) => readTable(await tableBytes(p), p.wanted)));
  if (!first || more.some((t) => t.rows !== first.rows)) throw new ApiError("this report is damaged", 0);
  if (!more.length) return first;
  const selectable = new Set(embeddedColumns());
  // columns that are not selected come first, the others in the order of their options, as the server has them
  const place = (c: Column): string => (selectable.has(selectedBy(c.name)) ? selectedBy(c.name) : "");
  const order = (a: Column, b: Column): number => (place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : 0);
  const columns = [first, ...more].flatMap((t) => t.columns).sort(order);
  const notes = new Map([first, ...more].flatMap((t) => t.notes.map((note, i): [string, string] => [note, t.noteCodes[i] ?? ""])));
  return makeTable({ ...first, columns, notes: [...notes.keys()], noteCodes: [...notes.values()] });
}

export async function table(path: string, signal?: AbortSignal, progress?: Progress): Promise<Table> {
  return isReport ? embeddedTable(path) : readTable(await (await ask(path, signal, progress)).arrayBuffer());
}

/** A cell as text; "" when it is absent. */
export function cellText(c: Column, row: number): string {
  if (c.absent?.[row]) return "";
  const value = c.values[row] ?? 0;
  return c.texts ? (c.texts[value] ?? "") : c.type === "bool" ? (value ? "yes" : "no") : String(value);
}
