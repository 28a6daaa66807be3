// SPDX-License-Identifier: Apache-2.0
// Lines of Python with their syntax in colour.
import { piecesOf } from "./python";

export function Highlighted({ lines, first, now }: { lines: string[]; first: number; now: number }) {
  return (
    <>
      {lines.map((line, i) => (
        <div key={i} class={first + i === now ? "now" : ""}>
          <span class="number">{first + i}</span>
          {piecesOf(line).map((p, k) => (p.look ? <span key={k} class={`py-${p.look}`}>{p.text}</span> : p.text))}
        </div>
      ))}
    </>
  );
}
