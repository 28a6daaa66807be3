// SPDX-License-Identifier: Apache-2.0
// Lines of Python with their syntax in colour.
import hljs from "highlight.js/lib/core";
import python from "highlight.js/lib/languages/python";
import { useMemo } from "preact/hooks";

hljs.registerLanguage("python", python);

interface Piece {
  look: string;
  text: string;
}

/** The pieces of a line, from the markup that highlight.js makes: it is parsed, never put into the page. */
function piecesOf(line: string): Piece[] {
  const holder = new DOMParser().parseFromString(hljs.highlight(line, { language: "python", ignoreIllegals: true }).value, "text/html").body;
  return [...holder.childNodes].map((n) => ({ look: n instanceof Element ? n.className : "", text: n.textContent ?? "" }));
}

export function Highlighted({ lines, first, now }: { lines: string[]; first: number; now: number }) {
  const pieces = useMemo(() => lines.map(piecesOf), [lines.join("\n")]);
  return (
    <>
      {pieces.map((line, i) => (
        <div key={i} class={first + i === now ? "now" : ""}>
          <span class="number">{first + i}</span>
          {line.map((p, k) => (p.look ? <span key={k} class={p.look}>{p.text}</span> : p.text))}
        </div>
      ))}
    </>
  );
}
