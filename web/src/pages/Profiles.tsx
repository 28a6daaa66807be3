// SPDX-License-Identifier: Apache-2.0
// The list of profiles that the server found; new and changed files appear without a reload.
import { useState } from "preact/hooks";
import type { ProfileEntry } from "../api";
import { profiles } from "../api";
import { formatBytes, formatDate } from "../format";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { Status } from "../parts/Status";
import { useListVersion } from "../shell/useList";
import { hashOf } from "../route";

const SHOWN_MOST = 500;
function State({ of }: { of: ProfileEntry }) {
  switch (of.state) {
    case "loading":
      return <>being read, {Math.round(100 * of.progress)}%</>;
    case "ready":
      return <>{of.steps ? `${of.steps.toLocaleString()} ${of.steps === 1 ? "step" : "steps"}, ` : ""}{of.nodes.toLocaleString()} nodes</>;
    case "failed":
      return <>cannot be read: {of.error}</>;
    default:
      return null;
  }
}

interface RowProps {
  of: ProfileEntry;
  folder: boolean;
  chosen: boolean;
  onChoose: () => void;
}

function Row({ of, folder, chosen, onChoose }: RowProps) {
  const files = of.files ?? [];
  return (
    <tr>
      {!isReport && <td class="choose"><input type="checkbox" aria-label={`choose ${of.name} to compare`} checked={chosen} onChange={onChoose} /></td>}
      <td>
        <a href={hashOf("overview", of.id)}>{of.name}</a>
        {folder && of.folder && <span class="soft where"> {of.folder}</span>}
      </td>
      <td title={files.join("\n")}>{of.format.replaceAll("_", " ")}{files.length > 1 && <span class="soft"> and {files.length - 1} more {files.length === 2 ? "file" : "files"}</span>}</td>
      <td class="number">{formatBytes(of.bytes)}</td>
      <td class="less">{formatDate(of.modified)}</td>
      <td class={of.state}><State of={of} /></td>
    </tr>
  );
}

function List({ all }: { all: ProfileEntry[] }) {
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const choose = (id: string): void => setChosen(chosen.includes(id) ? chosen.filter((c) => c !== id) : [...chosen, id]);
  const found = all.filter((p) => p.name.toLowerCase().includes(search.toLowerCase()));
  const folders = new Set(all.map((p) => p.folder)).size;
  const sides = new URLSearchParams(chosen.map((id) => ["side", id]));
  return (
    <>
      <p class="tools">
        <label class="search">
          Find <input type="search" value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
        </label>
        {chosen.length > 1 && <a class="button" href={hashOf("compare", "", sides)}>Compare these {chosen.length}</a>}
        {chosen.length === 1 && <span class="soft">Choose one more to compare.</span>}
      </p>
      <table class="list">
        <thead>
          <tr>
            {!isReport && <td class="choose" />}
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col" class="number">Size</th>
            <th scope="col" class="less">Changed</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, SHOWN_MOST).map((p) => (
            <Row key={p.id} of={p} folder={folders > 1} chosen={chosen.includes(p.id)} onChoose={() => choose(p.id)} />
          ))}
        </tbody>
      </table>
      {found.length > SHOWN_MOST && <p class="empty">{(found.length - SHOWN_MOST).toLocaleString()} more: type a part of a name above.</p>}
      {!found.length && <p class="empty">No profile has “{search}” in its name.</p>}
    </>
  );
}

export function Profiles() {
  const version = useListVersion();
  const list = useLoaded(`profiles ${version}`, (signal) => profiles(signal));
  return (
    <section class="old">
      <h1>Profiles</h1>
      <Status of={list} calm>
        {(found) => (
          <>
            {found.notes?.map((note) => <p key={note} class="note">{note}</p>)}
            {found.profiles.length ? (
              <List all={found.profiles} />
            ) : (
              <div class="empty">
                <p>No profile was found yet. What is put into the folder shows up here within a few seconds:</p>
                <ul>
                  <li>files of TensorFlow's profiler (<code>profile_10</code>), graphs (<code>graph.pb</code>, <code>.pbtxt</code>), run metadata, op logs</li>
                  <li>SavedModels and checkpoints</li>
                </ul>
                <p>To look elsewhere, start it with another folder: <code>tfprof serve FOLDER</code></p>
              </div>
            )}
          </>
        )}
      </Status>
    </section>
  );
}
