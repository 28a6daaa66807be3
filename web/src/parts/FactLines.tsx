// SPDX-License-Identifier: Apache-2.0
// The facts at the head of a table's text, "label  value", as a list whose values wrap.

/** The lines before the first empty line, and the text after it. Notes come before facts and are shown elsewhere. */
export function firstPart(text: string): [string[], string] {
  const parts = text.split("\n\n");
  const notes = parts[0]?.startsWith("note: ") ? 1 : 0;
  return [(parts[notes] ?? "").split("\n").filter(Boolean), parts.slice(notes + 1).join("\n\n")];
}

export function FactLines({ lines }: { lines: string[] }) {
  return (
    <dl class="fact-lines">
      {lines.map((line) => {
        const [, label = line, value = ""] = /^(.*?\S) {2,}(.*)$/.exec(line) ?? [];
        return (
          <div key={line}>
            <dt>{label}</dt>
            <dd>{value.replace(/ {2,}/g, " \u2002")}</dd>
          </div>
        );
      })}
    </dl>
  );
}
