// SPDX-License-Identifier: Apache-2.0
// Share: the address of this view, and the profile as a report in one file that begins with this view.
import { useState } from "preact/hooks";
import { commandWords, quoteWord } from "../text/command";
import { isReport } from "../answers/embedded";
import type { Opened } from "../state/opened";
import { Item, Menu } from "../parts/Menu";
import { saveReport } from "../answers/saving";
import { state } from "../state/store";

interface ReportProps {
  of: Opened;
  say: (word: string) => void;
  copy: (text: string, word: string) => void;
}

function Report({ of, say, copy }: ReportProps) {
  const command = commandWords("report", of.files.map(quoteWord), new URLSearchParams({})).join(" ") + " -o report.html";
  const save = (): void => {
    say("The report is being made …");
    saveReport(of, state.value).then(say, (fault: unknown) => say(`It was not saved: ${fault instanceof Error ? fault.message : String(fault)}`));
  };
  if (isReport) return <Item onClick={() => copy(command, "The command line is copied.")}>This file is the report; copy the command that makes one<span class="s mono">{command}</span></Item>;
  return <Item onClick={save}>Save as report<span class="s">one file that begins with this view and needs no server</span></Item>;
}

export function Share({ of }: { of: Opened }) {
  const [done, set] = useState("");
  const copy = (text: string, word: string): void => void navigator.clipboard.writeText(text).then(() => set(word), () => set("The browser refused to copy."));
  return (
    <Menu text="Share" name="Share">
      {() => (
        <>
          <Item onClick={() => copy(location.href, "The address is copied.")}>Copy the address of this view<span class="s">{isReport ? "it works in this file" : "for those who reach this server"}</span></Item>
          <Report of={of} say={set} copy={copy} />
          {done && <span class="s" role="status">{done}</span>}
        </>
      )}
    </Menu>
  );
}
