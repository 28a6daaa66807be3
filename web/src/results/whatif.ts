// SPDX-License-Identifier: Apache-2.0
// The predicted gains of changes (tfprof whatif): requests to the server, and texts.
import { json, profilePath } from "../answers/api";
import { isKept, once } from "../answers/data";
import { isReport } from "../answers/embedded";
import type { Loaded } from "../answers/load";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import { filters } from "../state/store";

export interface WhatIfRow {
  scenario: string; // today; then each change as the command line has it, without dashes; all: those together
  step_us: number;
  gain_us: number;
  gain_share: number;
  replay_us: number;
  replay_error: number;
  critical_path_share: number | null;
  note: string | null;
}

export interface WhatIf {
  refused: string | null; // why there is no prediction
  table: { rows: WhatIfRow[] } | null;
}

export const OVER = 0.05; // an error of the replay above this is said in words

/** The option of the command line that a change is, as a parameter; "" when it is no change. */
export function parameterOf(scenario: string): string {
  const [, word = "", value = ""] = /^(\S+)(?: (.*))?$/s.exec(scenario) ?? [];
  const plain = word === "no-sync" && !value;
  const known = plain || (value && ["faster", "overlap", "link", "ideal", "keep", "launch", "input", "fuse"].includes(word));
  return known ? `${word.replace("-", "_")}=${plain ? "true" : encodeURIComponent(value)}` : "";
}

/** The words of the command line for it. */
export function optionOf(scenario: string): string[] {
  const at = scenario.indexOf(" ");
  return at < 0 ? [`-${scenario}`] : [`-${scenario.slice(0, at)}`, scenario.slice(at + 1)];
}

/** The pattern that matches only this name. */
export const patternOf = (name: string): string => name.replace(/[\\.+*?()[\]{}|^$]/g, "\\$&");

interface Faster {
  name: string; // a pattern without its escapes
  factor: number;
  host: boolean;
  rank: string;
}

/** What "faster PATTERN=F" makes faster. */
export function fasterOf(scenario: string): Faster | null {
  const [, rank = "", host, pattern = "", factor = ""] = /^faster (?:rank:(\d+)\/)?(host:)?(.*)=([^=]*)$/s.exec(scenario) ?? [];
  return pattern ? { name: pattern.replace(/\\([\\.+*?()[\]{}|^$])/g, "$1"), factor: Number(factor), host: Boolean(host), rank } : null;
}

const PLAIN: Record<string, string> = {
  "no-sync": "Synchronising calls do not wait",
  "overlap comm": "Nothing but collectives waits for collectives",
  "ideal device": "Calls take the time that their device needs at least",
  "fuse all": "Each chain of kernels is one kernel",
  "ideal stragglers": "Everything takes the median over the ranks",
  "launch 0": "Calls that launch take no time",
  "launch graph": "The launches of a step are one graph",
  "input 0": "Nothing waits for data",
};

const portion = (factor: number): string => (factor === 0 ? "no time" : factor === 2 ? "half of its time" : `1/${factor} of its time`);

/** A change as a sentence: the text before the name that it is about, the name, and the text after it. */
export function partsOfSentence(scenario: string): [string, string, string] {
  const f = fasterOf(scenario);
  if (!f) return [PLAIN[scenario] ?? scenario, "", ""];
  const name = f.name.replace(/\(\.\[0-9\]\+\)\?$/, ""); // instructions of XLA that differ in a number only
  return [f.host ? "Host code inside of " : "", name, `${name === f.name ? "" : " with any number"} takes ${portion(f.factor)}${f.rank && ` on rank ${f.rank}`}`];
}
export const sentenceOf = (scenario: string): string => partsOfSentence(scenario).join("");

/** Why there is no prediction, as a sentence without the file that the page is about. */
export function plainRefusal(why: string, files: string[]): string {
  const file = files.map((f) => `${f.slice(f.lastIndexOf("/") + 1)}: `).find((f) => why.includes(f));
  const text = file ? why.slice(why.indexOf(file) + file.length) : why;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** A replay is of all ranks, and of one step when one is chosen. */
function pathOf(of: Opened, changes: string[]): string {
  const { steps } = filters.value;
  const step = steps && steps.from === steps.to && !isReport ? [`step=${steps.from}`] : [];
  const words = [...changes, ...step];
  return profilePath(of.id, `whatif${words.length ? `?${words.join("&")}` : ""}`);
}

/** The answer to a request for these changes; it is cancelled together with the component that made it. */
const ask = (path: string, signal: AbortSignal): Promise<WhatIf> => once(`json ${path}`, () => json<WhatIf>(path, signal));

/** The ten single changes that help most. */
export function useBest(of: Opened): Loaded<WhatIf | undefined> {
  const path = pathOf(of, []);
  return useLoaded(`best ${path}`, (signal) => (of.facts.has?.trace ? ask(path, signal) : Promise.resolve(undefined)));
}

/** The ids of the changes in the list of the ten, in its order. */
export async function bestIds(of: Opened): Promise<string[]> {
  const path = pathOf(of, []);
  const rows = (await once(`json ${path}`, () => json<WhatIf>(path))).table?.rows ?? [];
  return rows.filter((r) => r.gain_us > 0).map((r) => r.scenario);
}

/** The predicted gains of chosen changes. A single change that is among the ten known ones needs no request; a report has no others. */
export function useChanges(of: Opened, scenarios: string[]): Loaded<WhatIf | undefined> {
  const best = pathOf(of, []);
  const path = pathOf(of, scenarios.map(parameterOf));
  return useLoaded(scenarios.length ? path : "", async (signal) => {
    if (!scenarios.length) return undefined;
    if (!isReport && !isKept(`json ${best}`)) return ask(path, signal);
    const ten = await ask(best, signal);
    const rows = ten.table?.rows.filter((r) => r.scenario === "today" || scenarios.includes(r.scenario)) ?? [];
    if (ten.refused || rows.length > (isReport ? 1 : scenarios.length)) return { refused: ten.refused, table: ten.table && { rows } };
    return isReport ? { refused: "This report holds the ten best changes only; tfprof serve FILE answers for others.", table: null } : ask(path, signal);
  });
}
