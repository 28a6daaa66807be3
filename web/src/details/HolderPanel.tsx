// SPDX-License-Identifier: Apache-2.0
// A holder of memory from a row of Memory: a category of allocations, or a tensor of a node.
import { profilePath } from "../answers/api";
import { useTable } from "../answers/data";
import { formatBytes, formatCount, formatPercent } from "../text/format";
import { isReport } from "../answers/embedded";
import { ScopeName } from "../parts/ScopeName";
import { ThingLink } from "../parts/Thing";
import { state } from "../state/store";
import { numbers, texts } from "../table/read";
import { FindingsOf, Head, PanelActions } from "./parts";
import { Pair, Section } from "./Section";
import type { PanelProps } from "./kinds";

const CATEGORIES: Record<string, string> = {
  forward: "Made by ops of the forward pass: activations that the backward pass still needs, and what ops need for themselves.",
  backward: "Made by ops of the backward pass: gradients, and what ops need for themselves.",
  optimizer: "Made while the optimizer steps: its states, and what its ops need for themselves.",
  variables: "Variables of the graph: parameters and states.",
  other: "Allocated outside of all ops.",
  "(held before the recording)": "It was there when the recording began: parameters, states of the optimizer, what earlier steps left.",
};

export function HolderPanel({ of, thing }: PanelProps) {
  const category = CATEGORIES[thing.id];
  const { at } = state.value.more;
  const t = useTable(profilePath(of.id, `views/memory?by=${category ? "category" : "node"}${at && !isReport ? `&at=${at}` : ""}&format=columns`)).value;
  const name = t && texts(t, category ? "category" : "name");
  const row = t && name ? Array.from({ length: t.rows }, (_, i) => i).find((i) => name(i) === thing.id) : undefined;
  const value = (column: string): number => (t && row !== undefined ? (numbers(t, column)(row) ?? 0) : 0);
  const op = t && row !== undefined && !category ? texts(t, "op")(row) : "";
  return (
    <>
      <Head look="memory" kind={category ? "category of memory" : "tensor"} name={thing.id} big={row === undefined ? "–" : formatBytes(value("bytes"))} says={row === undefined ? "" : `${formatPercent(100 * value("share"))} of what ${t ? texts(t, "device")(row) : ""} held then`} />
      <Section name="Numbers"><dl><Pair word="holders">{formatCount(value("holders"))}</Pair></dl></Section>
      <Section name="Comes from">
        {category ? <p>{category}</p> : <dl>{op && <Pair word="op"><ThingLink kind="op" id={op}>{op}</ThingLink></Pair>}<Pair word="scope"><ScopeName path={thing.id} /></Pair></dl>}
      </Section>
      <FindingsOf of={of} names={[thing.id]} />
      <PanelActions of={of} thing={thing} also={[{ text: "By tensor", to: { place: "memory", by: of.facts.has?.trace ? "tensor" : "node" } }]} />
    </>
  );
}
