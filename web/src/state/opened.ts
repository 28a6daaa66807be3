// SPDX-License-Identifier: Apache-2.0
// The profile that is shown, as every place and the details panel get it.
import type { ProfileEntry, ProfileFacts, Tables } from "../answers/api";

export interface Opened {
  id: string;
  entry: ProfileEntry | undefined;
  name: string; // without the ending of a file
  files: string[]; // all that it is read from
  facts: ProfileFacts;
  tables: Tables;
}

/** The name of a profile: its file, or for ranks their folder. If that is the served folder, the common part of the files' names is used, such as ddp for ddp_rank0.json and ddp_rank1.json, or the
 * folder's name. */
export function nameOf(path: string, files: string[]): string {
  const outside = path.startsWith("../") || path.startsWith("/"); // a path to the served folder is not a name
  const name = outside ? path.split("/").filter((p) => p !== "..").slice(files.length > 1 ? -2 : -1).join("/") : path;
  const folder = name.split("/").slice(0, -1).join("/");
  const names = files.map((f) => f.slice(f.lastIndexOf("/") + 1));
  const ranks = new Set(names.map((n) => n.replace(/\d+/g, "#"))).size === 1;
  if (files.length > 1 && folder) return folder;
  if (files.length < 2 || !ranks) return shortFile(name);
  const shared = (names[0] ?? "").slice(0, [...(names[0] ?? "")].findIndex((c, i) => names.some((n) => n[i] !== c)));
  return shared.replace(/\d+$/, "").replace(/[-_.]*(rank|r)?[-_.]*$/i, "") || files[0]?.split("/").slice(-2, -1)[0] || shortFile(name);
}

/** The name of a file without the endings that name its format. */
export const shortFile = (name: string): string => name.replace(/\.(json|gz|pb|pbtxt|xplane|trace|pt)\b/g, "").replace(/\.$/, "") || name;
