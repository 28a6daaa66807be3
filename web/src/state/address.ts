// SPDX-License-Identifier: Apache-2.0
// The address after the # and the state that it stands for. Pure functions: no browser is needed to test them.

export const KINDS = [
  "profile", "rank", "step", "part", "op", "kernel", "scope", "line", "call", "span", "tensor", "finding", "range",
  "transfer", "wait", "lane", "parameter", "job", "change", "shape", "chain", "layer",
] as const;
export type Kind = (typeof KINDS)[number];

/** One thing of a profile. `id`: kernel, op: the whole name; scope, call: the path; line: FILE:LINE; span: its number; step, rank:
 * the number; range: FROM-TO; finding: its name and place, NAME:2; change: as `tfprof whatif`
 * has it, "faster aten::mm=2"; shape, chain: the row of `tfprof limits`. */
export interface Thing {
  kind: Kind;
  id: string;
}

/** Microseconds from the first start. */
export interface Window {
  from: number;
  to: number;
}

/** From a step to another, both included. */
export interface Steps {
  from: number;
  to: number;
}

export const PLACES = ["overview", "findings", "triage", "timeline", "steps", "memory", "table", "flame", "limits", "graph", "compare", "more", "profiles", "jobs", "runs", "watch"] as const;
export type Place = (typeof PLACES)[number];

export interface Filters {
  ranks: number[]; // empty: all
  steps: Steps | null;
  range: Window | null;
  device: string; // "": all
}

export interface State extends Filters {
  profile: string; // its id; "" at the lists of profiles and jobs
  place: Place;
  sel: Thing | null;
  view: Window | null; // what the timeline shows
  q: string;
  by: string;
  sort: string; // a column, "-" before it for descending
  open: string[]; // opened rows or lanes
  pin: string[];
  vs: string; // the profile to compare with
  more: Record<string, string>;
}

export const START: State = {
  profile: "", place: "profiles", sel: null, ranks: [], steps: null, range: null, device: "", view: null,
  q: "", by: "", sort: "", open: [], pin: [], vs: "", more: {},
};

/** The parts that belong to a place and are cleared when the place changes. The timeline's view is kept, so that it is the same after coming back. */
export const PLACE_OWN: Partial<State> = { by: "", sort: "", open: [] };

/** Old addresses, and the places that have their content. */
const OLD: Record<string, Partial<State>> = {
  kernel: { place: "table", by: "kernel" }, op: { place: "table", by: "op" }, scope: { place: "table", by: "scope" },
  lines: { place: "table", by: "line" }, calls: { place: "table", by: "call" }, code: { place: "table", by: "line" },
  transfer: { place: "table", by: "transfer" }, wait: { place: "table", by: "wait" }, params: { place: "table", by: "parameter" },
  advice: { place: "findings" }, check: { place: "findings" }, summary: { place: "findings" }, stats: { place: "steps" },
  dataflow: { place: "graph" }, source: { place: "more", by: "source" }, flops: { place: "more", by: "flops" },
  checkpoint: { place: "more", by: "checkpoint" }, query: { place: "more", by: "query" }, prompt: { place: "more", by: "command" },
};

/** Decodes a word of an address that a person may have typed. */
function plainWord(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

const isKind = (word: string): word is Kind => (KINDS as readonly string[]).includes(word);
const isPlace = (word: string): word is Place => (PLACES as readonly string[]).includes(word);

function readThing(text: string): Thing | null {
  const at = text.indexOf(":");
  const kind = text.slice(0, at);
  const id = text.slice(at + 1);
  return at > 0 && id && isKind(kind) ? { kind, id } : null;
}

function readWindow(text: string): Window | null {
  const [, from = "", to = ""] = /^([\d.]+)-([\d.]+)$/.exec(text) ?? [];
  return from && to && Number(to) > Number(from) ? { from: Number(from), to: Number(to) } : null;
}

function readSteps(text: string): Steps | null {
  const [, from = "", to = from] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  return from && Number(to) >= Number(from) ? { from: Number(from), to: Number(to) } : null;
}

const readList = (text: string): string[] => text.split(",").filter(Boolean).map(plainWord);

/** The state that each parameter sets; null: its value is invalid. */
const READ: Record<string, (text: string) => Partial<State> | null> = {
  sel: (text) => {
    const sel = readThing(text);
    return sel?.kind === "range" ? { range: readWindow(sel.id) } : sel && { sel };
  },
  ranks: (text) => (/^\d+(,\d+)*$/.test(text) ? { ranks: text.split(",").map(Number) } : null),
  steps: (text) => {
    const steps = readSteps(text);
    return steps && { steps };
  },
  range: (text) => {
    const range = readWindow(text);
    return range && { range };
  },
  view: (text) => {
    const view = readWindow(text);
    return view && { view };
  },
  sort: (text) => (/^-?\w+$/.test(text) ? { sort: text } : null),
  by: (text) => (/^\w+$/.test(text) ? { by: text } : null),
  device: (text) => ({ device: text }),
  q: (text) => ({ q: text }),
  open: (text) => ({ open: readList(text) }),
  pin: (text) => ({ pin: readList(text) }),
  vs: (text) => (/^[\w@.:-]+$/.test(text) ? { vs: text } : null),
};

function readPlace(hash: string): { part: Partial<State>; ignored: string[] } {
  const words = hash.replace(/^#\/?/, "").split("?", 1)[0]?.split("/").map(plainWord) ?? [];
  const [first = "", id = "", word = ""] = words;
  if (first !== "p" || !id) {
    const list = first === "runs" || first === "watch" ? first : first === "jobs" || first === "live" ? "jobs" : "profiles";
    return { part: { place: list }, ignored: !first || first === "profiles" || first === "compare" || list !== "profiles" ? [] : [first] };
  }
  if (isPlace(word)) return { part: { profile: id, place: word }, ignored: [] };
  const old = OLD[word];
  return { part: { profile: id, place: "overview", ...old }, ignored: !word || old ? [] : [word] };
}

/** Reads an old address that compares sides: the last side is the profile, the first is the one that it is compared with. */
function readSides(hash: string, params: URLSearchParams): Partial<State> {
  const sides = params.getAll("side").filter(Boolean);
  if (!/^#\/?compare/.test(hash) || !sides.length) return {};
  params.delete("side");
  const [before = "", now = before] = sides;
  return { profile: now.split("@")[0] ?? "", place: "compare", vs: sides.length > 1 ? before : "" };
}

export function parseAddress(hash: string): { state: State; ignored: string[] } {
  const { part, ignored } = readPlace(hash);
  const at = hash.indexOf("?");
  const params = new URLSearchParams(at < 0 ? "" : hash.slice(at + 1));
  const state: State = { ...START, ...part, ...readSides(hash, params), more: {} };
  for (const [name, text] of params) {
    const read = READ[name];
    const parts = read?.(text);
    if (parts) Object.assign(state, parts);
    else if (read) ignored.push(`${name}=${text}`);
    else state.more[name] = text;
  }
  return { state, ignored };
}

const writeWindow = (w: Window | null): string => (w ? `${+w.from.toFixed(3)}-${+w.to.toFixed(3)}` : "");
const writeSteps = (s: Steps | null): string => (s ? (s.from === s.to ? String(s.from) : `${s.from}-${s.to}`) : "");
// commas separate items, so a comma within an item is escaped; other characters stay readable
const writeList = (list: string[]): string => list.map((one) => one.replace(/[%,]/g, encodeURIComponent)).join(",");
const escaped = (text: string): string => encodeURIComponent(text).replace(/%(3A|2C|2F|40|20)/g, (c) => (c === "%20" ? "+" : decodeURIComponent(c)));

export function writeAddress(s: State): string {
  const words: [string, string][] = [
    ["sel", s.sel ? `${s.sel.kind}:${s.sel.id}` : ""], ["ranks", s.ranks.join(",")], ["steps", writeSteps(s.steps)], ["range", writeWindow(s.range)],
    ["view", writeWindow(s.view)], ["device", s.device], ["q", s.q], ["by", s.by], ["sort", s.sort], ["open", writeList(s.open)],
    ["pin", writeList(s.pin)], ["vs", s.vs], ...Object.entries(s.more),
  ];
  const text = words.filter(([, value]) => value).map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join("&");
  const path = s.profile ? `#/p/${encodeURIComponent(s.profile)}/${s.place}` : s.place === "profiles" ? "#/" : `#/${s.place}`;
  return text ? `${path}?${text}` : path;
}
