// SPDX-License-Identifier: Apache-2.0
// The rail: the places of the profile, those without data left out, and the answers that only some recordings have.
import { Fragment } from "preact";
import { useFindings } from "../results/findings";
import type { Opened } from "../state/opened";
import type { PlaceRow } from "../places";
import { placesOf } from "../places";
import { goTo, hrefOf, place } from "../state/store";
import { isPlainClick } from "../parts/Thing";

const LESS = ["triage", "steps", "flame", "limits", "graph", "memory", "compare"]; // on a phone these are under More

export function Rail({ of }: { of: Opened }) {
  const findings = useFindings(of).value ?? [];
  const counts: Partial<Record<string, number>> = { findings: findings.filter((f) => !f.quality).length, steps: of.facts.steps.length };
  const fits = placesOf(of.facts);
  const link = (p: PlaceRow) => (
    <Fragment key={p.name}>
      {p.group && <span class="group" aria-hidden="true">{p.group}</span>}
      {p.name === "compare" && <span class="end" />}
      <a
        href={hrefOf({ place: p.name })}
        class={LESS.includes(p.name) ? "less" : ""}
        aria-current={place.value === p.name ? "page" : undefined}
        onClick={(e) => {
          if (!isPlainClick(e)) return;
          e.preventDefault();
          goTo(p.name);
        }}
      >
        {p.title}
        {counts[p.name] ? <span class="n">{counts[p.name]}</span> : null}
      </a>
    </Fragment>
  );
  const answers = fits.filter((p) => p.isAnswer);
  return (
    <div class={[...LESS, "more"].includes(place.value) ? "rail all" : "rail"}>
      <nav aria-label="Places">{fits.filter((p) => !p.isAnswer).map(link)}</nav>
      {answers.length > 0 && <nav aria-label="Answers">{answers.map(link)}</nav>}
    </div>
  );
}
