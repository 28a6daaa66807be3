// SPDX-License-Identifier: Apache-2.0
// A number that has a definition (docs/serve.md): readable for people and for tools.
import { formatStep, formatUnit } from "../text/format";

interface Props {
  name: string; // step.mean, step.compute, memory.peak ...
  of: string; // all, rank:N, step:N, device:D; "": a mixture, shown without its name
  value: number;
  unit?: "step" | "bytes" | "count";
  class?: string;
}

export function Quantity({ name, of, value, unit = "step", class: look }: Props) {
  const text = unit === "step" ? formatStep(value) : formatUnit(unit, value);
  return <data class={look} value={String(value)} data-quantity={of ? name : undefined} data-of={of || undefined}>{text}</data>;
}
