// SPDX-License-Identifier: Apache-2.0
// The syntax of one line of Python: comments, strings, numbers, keywords, the names of functions. Seven lines are shown at a
// time, so a text that began as a string of several lines is not known as one.

export interface Piece {
  look: "" | "comment" | "string" | "number" | "keyword" | "function";
  text: string;
}

const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield None True False self".split(" "),
);
const TOKEN = /(#.*$)|([rbfuRBFU]{0,2}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?))|(\b\d[\w.]*)|([A-Za-z_]\w*)/g;

export function piecesOf(line: string): Piece[] {
  const out: Piece[] = [];
  let at = 0;
  let before = "";
  for (const m of line.matchAll(TOKEN)) {
    const [text, comment, string, number, word = ""] = m;
    const look = comment ? "comment" : string ? "string" : number ? "number" : KEYWORDS.has(word) ? "keyword" : before === "def" || before === "class" ? "function" : "";
    before = word;
    if (!look) continue;
    if (m.index > at) out.push({ look: "", text: line.slice(at, m.index) });
    out.push({ look, text });
    at = m.index + text.length;
  }
  if (at < line.length) out.push({ look: "", text: line.slice(at) });
  return out;
}
