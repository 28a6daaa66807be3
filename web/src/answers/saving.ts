// SPDX-License-Identifier: Apache-2.0
// Saves a report of the profile: the server makes the file, the browser keeps it.
import { bytes, profilePath } from "./api";
import type { State } from "../state/address";
import { START, writeAddress } from "../state/address";
import type { Opened } from "../state/opened";

/** Where the report begins: the place and what is selected there, without parts for which a report has no data. A report of one step
 * contains only that step. */
export function placeInReport(now: State): string {
  const kept: State = { ...now, profile: "x", vs: "", ranks: [], device: "", steps: null, range: now.place === "timeline" ? now.range : null };
  const shown = now.place === "compare" || now.place === "more" ? { ...START, profile: "x", place: "overview" as const } : kept;
  return writeAddress(shown).replace("#/p/x/", "");
}

/** The step of the report: the selected one; "": the mean of all. */
const stepOf = ({ steps }: State): string => (steps && steps.from === steps.to ? String(steps.from) : "");

export function reportPath(id: string, now: State): string {
  const query = new URLSearchParams({ place: placeInReport(now) });
  if (stepOf(now)) query.set("step", stepOf(now));
  return profilePath(id, `report?${query.toString()}`);
}

const fileOf = (name: string): string => `${name.replace(/[^\w.-]+/g, "_").replace(/^[_.]+|_+$/g, "").slice(0, 80) || "profile"}.report.html`;

export async function saveReport(of: Opened, now: State): Promise<string> {
  const made = await bytes(reportPath(of.id, now));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(made);
  link.download = fileOf(of.name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return `${link.download} is saved.`;
}
