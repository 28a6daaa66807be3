// SPDX-License-Identifier: Apache-2.0
// Share: the address of this view, and how to keep it as a report in one file.
import { useState } from "preact/hooks";
import { commandWords, quoteWord } from "../command";
import { isReport } from "../held";
import type { Opened } from "../opened";
import { Item, Menu } from "../parts/Menu";

export function Share({ of }: { of: Opened }) {
  const [done, set] = useState("");
  const copy = (text: string, word: string): void => void navigator.clipboard.writeText(text).then(() => set(word), () => set("The browser refused to copy."));
  const command = commandWords("report", of.files.map(quoteWord), new URLSearchParams({})).join(" ") + " -o report.html";
  return (
    <Menu text="Share" name="Share">
      {() => (
        <>
          <Item onClick={() => copy(location.href, "The address is copied.")}>Copy the address of this view<span class="s">{isReport ? "it works in this file" : "for those who reach this server"}</span></Item>
          {!isReport && <Item onClick={() => copy(command, "The command line is copied.")}>Save as report: copy the command<span class="s mono">{command}</span></Item>}
          {done && <span class="s" role="status">{done}</span>}
        </>
      )}
    </Menu>
  );
}
