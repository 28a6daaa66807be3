// SPDX-License-Identifier: Apache-2.0
// With nothing selected the panel tells of the profile.
import { formatBytes } from "../format";
import { Pair, Section } from "./Section";
import type { PanelProps } from "./kinds";

export function ProfilePanel({ of }: PanelProps) {
  return (
    <>
      <h2 class="title">{of.name}</h2>
      <div class="s">profile · nothing is selected</div>
      <Section name="Recorded">
        <dl>
          <Pair word="format">{of.entry?.format ?? "–"}</Pair>
          <Pair word="steps">{of.facts.steps.length}</Pair>
          <Pair word="file">{formatBytes(of.entry?.bytes ?? 0)}</Pair>
        </dl>
      </Section>
    </>
  );
}
