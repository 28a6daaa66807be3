// SPDX-License-Identifier: Apache-2.0
// The commands of the prompt on the page. The server refuses those that write files.
import { useRef, useState } from "preact/hooks";
import { json } from "../answers/api";
import type { Route } from "../state/route";
import { saidLines } from "../text/said";

interface Said {
  line: string;
  output: string;
  error: string;
}

export function Prompt({ route }: { route: Route }) {
  const [said, setSaid] = useState<Said[]>([]);
  const [line, setLine] = useState("");
  const [back, setBack] = useState(0);
  const [busy, setBusy] = useState(false);
  const end = useRef<HTMLDivElement>(null);
  const run = async (): Promise<void> => {
    if (!line.trim() || busy) return;
    setBusy(true);
    const query = new URLSearchParams({ profile: route.id, line });
    let answer: Said;
    try {
      answer = { line, ...(await json<{ output: string; error: string }>(`/api/v1/command?${query.toString()}`)) };
    } catch (fault) {
      answer = { line, output: "", error: fault instanceof Error ? fault.message : String(fault) };
    }
    setSaid((all) => [...all.slice(-49), answer]);
    setLine("");
    setBack(0);
    setBusy(false);
    requestAnimationFrame(() => end.current?.scrollIntoView({ block: "nearest" }));
  };
  const recall = (by: number): void => {
    const to = Math.max(0, Math.min(said.length, back + by));
    setBack(to);
    setLine(to ? (said[said.length - to]?.line ?? "") : "");
  };
  return (
    <section class="old">
      <h1 class="away">Prompt</h1>
      <p class="soft">The commands of the <code>tfprof&gt;</code> prompt, such as <code>op -select micros -max_depth 5</code> or <code>help</code>.</p>
      <div class="said" aria-live="polite">
        {said.map((s, i) => (
          <div key={i}>
            <div class="asked">tfprof&gt; {s.line}</div>
            {s.output && <pre tabIndex={0}>{s.output}</pre>}
            {saidLines(s.error).map((l) => <div key={l.text} class={l.error ? "fault" : "s"}>{l.text}</div>)}
          </div>
        ))}
        <div ref={end} />
      </div>
      <form
        class="ask"
        onSubmit={(e) => {
          e.preventDefault();
          void run();
        }}
      >
        <label for="line">tfprof&gt;</label>
        <input
          id="line"
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={line}
          onInput={(e) => setLine(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key !== "ArrowUp" && e.key !== "ArrowDown") return;
            e.preventDefault();
            recall(e.key === "ArrowUp" ? 1 : -1);
          }}
        />
        <button type="submit" disabled={busy}>Run</button>
      </form>
    </section>
  );
}
