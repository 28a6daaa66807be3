// SPDX-License-Identifier: Apache-2.0
// The profile that is shown, as every place and the details panel get it.
import type { ProfileEntry, ProfileFacts, Tables } from "./api";

export interface Opened {
  id: string;
  entry: ProfileEntry | undefined;
  name: string; // without the ending of a file
  files: string[]; // all that it is read from
  facts: ProfileFacts;
  tables: Tables;
}

/** What a profile is called: its file, or of ranks the folder that they lie in. */
export function nameOf(name: string, files: string[]): string {
  const folder = name.split("/").slice(0, -1).join("/");
  return files.length > 1 && folder ? folder : shortFile(name);
}

/** The name of a file without what says its format. */
export const shortFile = (name: string): string => name.replace(/\.(json|gz|pb|pbtxt|xplane|trace|pt)\b/g, "").replace(/\.$/, "") || name;
