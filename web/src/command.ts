// What the page asks for, as a command line that gives the same.

export const quoteWord = (word: string): string => (/^[\w./,:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Options of a query as words; an option that is given again stays so. */
export function optionWords(query: URLSearchParams): string[] {
  return [...query].flatMap(([name, value]) => (value === "true" ? [`-${name}`] : [`-${name}`, value]));
}

export function commandWords(verb: string, files: string[], query: URLSearchParams): string[] {
  return ["tfprof", verb, ...files, ...optionWords(query)];
}
