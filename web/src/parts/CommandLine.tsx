// The command line that shows the same, to copy.
import { useState } from "preact/hooks";

export function quoteWord(word: string): string {
  return /^[\w./,:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export function CommandLine({ words }: { words: string[] }) {
  const [copied, setCopied] = useState(false);
  const line = words.map(quoteWord).join(" ");
  const copy = (): void => {
    void navigator.clipboard?.writeText(line).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  };
  return (
    <div class="commandline">
      <code aria-label="the same on the command line">{line}</code>
      <button type="button" onClick={copy}>{copied ? "Copied" : "Copy"}</button>
    </div>
  );
}
