// SPDX-License-Identifier: Apache-2.0
// A section of the details panel: a region with a name, which contains pairs of a term and its value.
import type { ComponentChildren } from "preact";

export function Section({ name, aside, children }: { name: string; aside?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section aria-label={name}>
      <h2>{name}{aside !== undefined && <span class="s"> {aside}</span>}</h2>
      {children}
    </section>
  );
}

export function Pair({ word, children }: { word: string; children: ComponentChildren }) {
  return <><dt>{word}</dt><dd>{children}</dd></>;
}
