// SPDX-License-Identifier: Apache-2.0
// More actions of a table: its rows as CSV, the command line that gives the same, more columns.
import { commandWords } from "../text/command";
import type { Column } from "../grid/model";
import { isReport } from "../answers/embedded";
import type { Opened } from "../state/opened";
import { change, state } from "../state/store";
import { Item, Menu } from "./Menu";

/** The parameters of a request except its format, as words of the command line. */
function wordsOf(view: string, files: string[], path: string): string {
  const params = new URLSearchParams(path.split("?")[1] ?? "");
  params.delete("format");
  return commandWords(view, files, params).join(" ");
}

function Extra({ columns }: { columns: Column[] }) {
  const asked = (state.value.more.columns ?? "").split(",").filter(Boolean);
  const turn = (name: string): void => change({ more: { columns: (asked.includes(name) ? asked.filter((a) => a !== name) : [...asked, name]).join(",") } });
  return (
    <>
      {columns.filter((c) => c.extra).map((c) => (
        <button key={c.name} type="button" role="menuitemcheckbox" aria-checked={asked.includes(c.name)} onClick={() => turn(c.name)}>
          {asked.includes(c.name) ? "✓ " : ""}Column {c.title}
        </button>
      ))}
    </>
  );
}

export function Actions({ of, view, path, columns }: { of: Opened; view: string; path: string; columns: Column[] }) {
  const line = wordsOf(view, of.files, path);
  return (
    <Menu label="More actions" text="⋯" name="More actions">
      {(close) => (
        <>
          <Extra columns={columns} />
          {!isReport && <Item href={path.replace("format=columns", "format=csv")} download onClick={close}>Save as CSV</Item>}
          <Item onClick={() => (void navigator.clipboard.writeText(line), close())}>Copy the command line<span class="s mono">{line}</span></Item>
        </>
      )}
    </Menu>
  );
}
