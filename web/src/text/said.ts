// SPDX-License-Identifier: Apache-2.0
// Messages of the program beside its answer: notes and warnings, which are not errors, and errors.

export interface Line {
  text: string;
  error: boolean;
}

/** The lines of standard error; an indented line continues the previous one. */
export function saidLines(text: string): Line[] {
  const out: Line[] = [];
  for (const line of text.split("\n").filter(Boolean)) {
    const last = out[out.length - 1];
    if (/^\s/.test(line) && last) last.text += `\n${line}`;
    else out.push({ text: line, error: !/^tfprof: (note|warning): /.test(line) });
  }
  return out;
}
