// SPDX-License-Identifier: Apache-2.0
// Names at the edge of the stage for the ends of arrows that are outside the window. A click goes there.
import { formatMicros } from "../text/format";
import { select } from "../state/store";
import type { Details } from "./data";
import type { EdgeName } from "./overlay";

const MOST = 40; // most letters of a name

/** How long before or after the selected span it begins. */
function distance({ link, left }: EdgeName, picked: Details | null): string {
  const own = picked?.summary.start_us ?? link.start_us;
  return left ? `${formatMicros(own - link.start_us)} before` : `${formatMicros(link.start_us - own)} after`;
}

function EdgeButton({ name, picked }: { name: EdgeName; picked: Details | null }) {
  const { link, left, y } = name;
  const word = link.name.length > MOST ? `${link.name.slice(0, MOST - 1)}…` : link.name;
  return (
    <button
      type="button"
      class={left ? "tl-edge left" : "tl-edge right"}
      style={{ top: `${y}px` }}
      data-kind="span"
      data-id={link.span}
      data-hint={`${link.relation} ${link.name}`}
      onClick={() => select({ kind: "span", id: String(link.span) })}
    >
      {left && "◂ "}{word}, {distance(name, picked)}{!left && " ▸"}
    </button>
  );
}

export function Edges({ names, picked }: { names: EdgeName[]; picked: Details | null }) {
  return <>{names.map((name) => <EdgeButton key={`${name.link.relation} ${name.link.span}`} name={name} picked={picked} />)}</>;
}
