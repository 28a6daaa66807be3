// SPDX-License-Identifier: Apache-2.0
// The same content outside the page: the command line to copy, and its output as a file.
import { isReport } from "../answers/embedded";
import { CommandLine } from "./CommandLine";

const FORMATS = ["text", "csv", "json"];
const ENDINGS: Record<string, string> = { text: "txt" };

interface Props {
  words: string[];
  path: string; // path with its query, without a format
  file: string; // the name of the file, without its ending
  besides?: string; // parts of the page that the command line does not show
}

export function Means({ words, path, file, besides }: Props) {
  return (
    <div class="means">
      <CommandLine words={words} />
      {besides && <span class="soft">{besides}</span>}
      {!isReport && (
        <p class="tools saves">
          <span class="soft">Its output:</span>
          {FORMATS.map((f) => (
            <a key={f} class="button" href={`${path}&format=${f}`} download={`${file}.${ENDINGS[f] ?? f}`} aria-label={`download ${f}`}>{f === "text" ? "text" : f.toUpperCase()}</a>
          ))}
        </p>
      )}
    </div>
  );
}
