// SPDX-License-Identifier: Apache-2.0
// The command line that shows the same as the page.

export const quoteWord = (word: string): string => (/^[\w./,:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** On the command line the patterns of a filter are separated by commas; the server gets each one as a parameter of its own. */
function joined(name: string, values: string[]): string[] {
  if (!name.endsWith("_regexes") || values.length < 2) return values;
  return [values.map((v) => v.replaceAll(",", "\\x2c")).join(",")];
}

/** Options of a query as words. */
export function optionWords(query: URLSearchParams): string[] {
  return [...new Set(query.keys())].flatMap((name) =>
    joined(name, query.getAll(name)).flatMap((value) => (value === "true" ? [`-${name}`] : [`-${name}`, value])),
  );
}

/** Parts of the page that the command line does not show. */
export function besidesOf(sorted: boolean, searched: boolean): string {
  const words = [sorted && "sorted", searched && "searched"].filter(Boolean);
  return words.length ? `${words.join(" and ")} on the page only` : "";
}

export function commandWords(verb: string, files: string[], query: URLSearchParams): string[] {
  return ["tfprof", verb, ...files, ...optionWords(query)];
}
