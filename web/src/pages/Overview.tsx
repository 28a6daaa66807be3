// What a profile is about: its steps, warnings and what to look at first.
import type { ProfileFacts } from "../api";
import { text } from "../api";
import { useLoaded } from "../load";
import { Status } from "../parts/Status";
import type { Route } from "../route";

export function Overview({ route, facts }: { route: Route; facts: ProfileFacts }) {
  const advice = useLoaded(`advice ${route.id}`, (signal) => text(`/api/v1/profiles/${route.id}/views/advise?format=text`, signal));
  return (
    <main>
      <h1>Overview</h1>
      <dl class="facts">
        <div><dt>Nodes</dt><dd>{facts.nodes.toLocaleString()}</dd></div>
        <div><dt>Steps</dt><dd>{facts.steps.length ? facts.steps.join(", ") : "none"}</dd></div>
      </dl>
      {facts.warnings.map((w) => <p key={w} class="note">{w}</p>)}
      <h2>Advice</h2>
      <Status of={advice}>{(lines) => <pre class="advice" tabIndex={0}>{lines}</pre>}</Status>
    </main>
  );
}
