// SPDX-License-Identifier: Apache-2.0
// The main area: it fills the height and scrolls by itself; the page never does.
import type { ComponentChildren } from "preact";
import type { Place } from "../state/store";

export function Main({ name, place, busy, children }: { name: string; place: Place; busy: boolean; children: ComponentChildren }) {
  return (
    <main id="main" tabIndex={-1} aria-label={name} data-place={place} aria-busy={busy ? "true" : "false"}>
      {children}
    </main>
  );
}
