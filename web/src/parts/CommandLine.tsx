// SPDX-License-Identifier: Apache-2.0
// The command line that shows the same, to copy.
import { useState } from "preact/hooks";
import { quoteWord } from "../text/command";

export function CommandLine({ words }: { words: string[] }) {
  const [told, setTold] = useState("");
  const line = words.map(quoteWord).join(" ");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(line);
      setTold("Copied");
    } catch {
      setTold("Select it by hand"); // only pages from this computer or over https may write to the clipboard
    }
    setTimeout(() => setTold(""), 2000);
  };
  return (
    <div class="commandline">
      <code role="region" aria-label="the same on the command line" tabIndex={0}>{line}</code>
      <button type="button" onClick={() => void copy()} aria-label="copy the command line">{told || "Copy"}</button>
      <span class="unseen" role="status">{told}</span>
    </div>
  );
}
