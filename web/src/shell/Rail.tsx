// SPDX-License-Identifier: Apache-2.0
// The rail: the places of the profile, those without data left out.
import { Fragment } from "preact";
import { useFindings } from "../results/findings";
import type { Opened } from "../state/opened";
import { placesOf } from "../places";
import { goTo, hrefOf, place } from "../state/store";
import { isPlainClick } from "../parts/Thing";

const LESS = ["triage", "steps", "flame", "limits", "graph", "memory", "compare"]; // on a phone these are under More

export function Rail({ of }: { of: Opened }) {
  const findings = useFindings(of).value ?? [];
  const counts: Partial<Record<string, number>> = { findings: findings.filter((f) => !f.quality).length, steps: of.facts.steps.length };
  return (
    <nav class={[...LESS, "more"].includes(place.value) ? "rail all" : "rail"} aria-label="Places">
      {placesOf(of.facts).map((p) => (
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
      ))}
    </nav>
  );
}
