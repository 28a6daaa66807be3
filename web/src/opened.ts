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

/** The name of a file without what says its format. */
export const shortFile = (name: string): string => name.replace(/\.(json|gz|pb|pbtxt|xplane|trace|pt)\b/g, "").replace(/\.$/, "") || name;
