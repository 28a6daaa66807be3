// The list of profiles that the server found.
import { useEffect, useState } from "preact/hooks";
import { changes, profiles } from "../api";
import { formatBytes, formatDate } from "../format";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { Status } from "../parts/Status";
import { hashOf } from "../route";

/** A number that changes whenever the server's list does. */
export function useListVersion(): number {
  const [version, set] = useState(0);
  useEffect(() => {
    if (isReport) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) changes().then((c) => set(c.changed), () => undefined);
    }, 3000);
    return () => clearInterval(timer);
  }, []);
  return version;
}

const stateWords = { unread: "", loading: "being read", ready: "in memory", failed: "cannot be read" };

export function Profiles() {
  const version = useListVersion();
  const list = useLoaded(`profiles ${version}`, (signal) => profiles(signal));
  const [search, setSearch] = useState("");
  return (
    <main>
      <h1>Profiles</h1>
      <Status of={list}>
        {(found) =>
          found.profiles.length ? (
            <>
              <label class="search">
                Find <input type="search" value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
              </label>
              <table class="list">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Kind</th>
                    <th scope="col" class="number">Size</th>
                    <th scope="col">Changed</th>
                    {!isReport && <th scope="col">State</th>}
                  </tr>
                </thead>
                <tbody>
                  {found.profiles
                    .filter((p) => p.name.toLowerCase().includes(search.toLowerCase()))
                    .map((p) => (
                      <tr key={p.id}>
                        <td><a href={hashOf("overview", p.id)}>{p.name}</a></td>
                        <td>{p.format.replaceAll("_", " ")}</td>
                        <td class="number">{formatBytes(p.bytes)}</td>
                        <td>{formatDate(p.modified)}</td>
                        {!isReport && <td class={p.state} title={p.error ?? ""}>{stateWords[p.state]}</td>}
                      </tr>
                    ))}
                </tbody>
              </table>
            </>
          ) : (
            <p class="empty">
              No profile was found. Start <code>tfprof serve</code> with a folder that holds some: files that TensorFlow's
              profiler wrote, graphs with run metadata, SavedModels or checkpoints.
            </p>
          )
        }
      </Status>
    </main>
  );
}
