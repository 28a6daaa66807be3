// SPDX-License-Identifier: Apache-2.0
// One running job: its facts, its threads with their Python stacks, and where it spends its time.
import { useState } from "preact/hooks";
import { formatShare } from "../text/format";
import type { Frame, Job } from "./live";
import { liveStacks, liveThreads, preparedness } from "./live";
import { useLoaded } from "../answers/load";
import { Status } from "../parts/Status";

const SAMPLED_MOST = 40; // functions shown; the others have few samples

function Threads({ id }: { id: string }) {
  const [again, setAgain] = useState(0);
  const read = useLoaded(`threads ${again}`, (signal) => liveThreads(id, signal));
  return (
    <section>
      <h2>Threads</h2>
      <p class="tools">
        <button type="button" onClick={() => setAgain(again + 1)}>Read again</button>
        <span class="soft">Its memory is read: nothing is stopped, nothing runs in it.</span>
      </p>
      <Status of={read} calm>{(t) => <Stacks of={t.rows} />}</Status>
    </section>
  );
}

function Stacks({ of }: { of: Frame[] }) {
  const tids = [...new Set(of.map((f) => f.tid))];
  if (!tids.length) return <p class="empty">No thread runs Python.</p>;
  return (
    <>
      {tids.map((tid) => {
        const frames = of.filter((f) => f.tid === tid);
        return (
          <details key={tid} open={tids.length < 4 || frames[0]?.state === "running"}>
            <summary>{tid} {frames[0]?.thread} <span class="soft">{frames[0]?.state}, {frames[0]?.name}</span></summary>
            <ol class="frames">{frames.map((f) => <li key={f.depth}>{f.name}</li>)}</ol>
          </details>
        );
      })}
    </>
  );
}

function Sample({ id }: { id: string }) {
  const [asked, setAsked] = useState(0);
  const read = useLoaded(`sample ${asked}`, (signal) => (asked ? liveStacks(id, signal) : Promise.resolve(null)));
  return (
    <section>
      <h2>Where time goes</h2>
      <p class="tools"><button type="button" disabled={read.busy && asked > 0} onClick={() => setAsked(asked + 1)}>Look for a second</button></p>
      <Status of={read}>
        {(t) =>
          t && (t.rows.length ? (
            <table class="list sampled">
              <thead><tr><th scope="col">Function</th><th scope="col" class="number">Own</th><th scope="col" class="number">Total</th></tr></thead>
              <tbody>
                {t.rows.slice(0, SAMPLED_MOST).map((r) => (
                  <tr key={r.name}>
                    <td class="meter"><span class="bar" style={{ width: `${100 * r.self_share}%` }} /><span>{r.name}</span></td>
                    <td class="number">{formatShare(r.self_share, 1)}</td>
                    <td class="number">{formatShare(r.total_share, 1)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          ) : <p class="empty">No thread ran Python in this second.</p>)
        }
      </Status>
    </section>
  );
}

export function LiveJob({ id, of, gone, stacks }: { id: string; of: Job | undefined; gone: boolean; stacks: boolean }) {
  if (!of) return gone ? <p class="note" role="status">Job {id} has ended.</p> : null;
  const facts: [string, string | null][] = [
    ["Job", of.job], ["User", of.user], ["Framework", `${of.framework ?? "none"} ${of.version ?? ""}`], ["Threads", `${of.threads}, ${of.runnable} running`],
    ["Recording", preparedness(of.capture)], ["Container", of.container], ["Command", of.command],
  ];
  return (
    <section class="job">
      <h2>Process {of.pid}</h2>
      <dl class="facts">{facts.map(([name, value]) => value !== null && <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      {of.why && <details><summary>Why cells are empty</summary><ul>{of.why.split("; ").map((w) => <li key={w}>{w}</li>)}</ul></details>}
      {stacks ? <div class="grid"><Threads id={id} /><Sample id={id} /></div> : <p class="soft">Stacks name files of the job: another machine sees them only when serve was started with --commands.</p>}
    </section>
  );
}
