// SPDX-License-Identifier: Apache-2.0
// A server for the tests of components: answers by path. What is asked and has no answer is refused, as tfprof serve does.
import type { Table } from "../src/answers/api";

type Answer = object | string | ((path: string) => object | string | Promise<object | string>);
interface Refusal {
  fault: string;
  status: number;
}

export const asked: string[] = []; // paths, in the order of the requests
const answers: { part: string; answer: Answer }[] = [];
const waiting = new Set<object>();
let now: object = {}; // the request that is being answered

/** How many requests have no answer yet. */
export const pending = (): number => waiting.size;
/** An answer that never comes, and that nobody waits for. */
export const never = (): Promise<object> => (waiting.delete(now), new Promise(() => undefined));
export const refusal = (fault: string, status = 400): Refusal => ({ fault, status });

/** Answers requests whose path has a part in it, of which $ is the end; the newest answer counts. Tables are packed as the server packs them. */
export function answer(of: Record<string, Answer>): void {
  for (const [part, one] of Object.entries(of)) answers.unshift({ part, answer: one });
}
export function forget(): void {
  answers.length = asked.length = 0;
}
/** Requests with this in their path. */
export const askedFor = (part: string): string[] => asked.filter((path) => decodeURIComponent(path).includes(part));

/** A table as bytes; docs/http.md has the format. */
export function packed(t: Table): ArrayBuffer {
  const parts: { at: number; bytes: Uint8Array }[] = [];
  let size = 0;
  const add = (data: ArrayBufferView): number => {
    const at = (size = Math.ceil(size / 8) * 8);
    parts.push({ at, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) });
    size += data.byteLength;
    return at;
  };
  const columns = t.columns.map((c) => {
    const head = { name: c.name, unit: c.unit, type: c.type, at: add(c.values), nulls: c.absent ? add(c.absent) : null, ...(c.short ? { short: c.short } : {}) };
    if (!c.texts) return head;
    const bytes = c.texts.map((text) => new TextEncoder().encode(text));
    const offsets = bytes.reduce((list, b) => [...list, (list[list.length - 1] ?? 0) + b.length], [0]);
    return { ...head, texts: c.texts.length, text_at: add(Uint32Array.from(offsets)), bytes_at: add(Uint8Array.from(bytes.flatMap((b) => [...b]))) };
  });
  const text = JSON.stringify({ row_count: t.rows, tree: t.tree, view: t.view, notes: t.notes, note_codes: t.noteCodes, columns });
  const bare = new TextEncoder().encode(text);
  const head = new Uint8Array(Math.ceil((bare.length + 12) / 8) * 8 - 12).fill(32); // what follows lies at a multiple of eight
  head.set(bare);
  const out = new Uint8Array(12 + head.length + size);
  new DataView(out.buffer).setUint32(0, 0x43504654, true);
  new DataView(out.buffer).setUint32(8, head.length, true);
  out.set(head, 12);
  for (const { at, bytes } of parts) out.set(bytes, 12 + head.length + at);
  return out.buffer;
}

function response(of: object | string): object {
  const ok = typeof of === "string" || !("fault" in of);
  const status = ok ? ("status" in Object(of) ? (of as Refusal).status : 200) : (of as Refusal).status;
  const json = (): object | string => (ok ? of : { error: (of as Refusal).fault });
  const text = (): string => (typeof of === "string" ? of : JSON.stringify(json()));
  const later = <T>(get: () => T) => (): Promise<T> => Promise.resolve().then(get);
  return { ok, status, statusText: "", json: later(json), text: later(text), arrayBuffer: later(() => packed(of as Table)), blob: later(() => new Blob([text()])) };
}

export const sent: { path: string; method: string; headers: Record<string, string> }[] = []; // requests that are not a plain GET

(globalThis as { fetch: unknown }).fetch = async (path: string, how: { method?: string; headers?: Record<string, string>; signal?: AbortSignal | null } = {}) => {
  asked.push(path);
  if (how.method) sent.push({ path, method: how.method, headers: how.headers ?? {} });
  const found = answers.find(({ part }) => `${decodeURIComponent(path)}$`.includes(part));
  const mine = (now = {});
  waiting.add(mine);
  try {
    const given = found?.answer ?? refusal(`no answer to ${path}`, 404);
    const made = typeof given === "function" ? await given(path) : given;
    if (how.signal?.aborted) throw new DOMException("aborted", "AbortError");
    return response(made);
  } finally {
    waiting.delete(mine);
  }
};

