// SPDX-License-Identifier: Apache-2.0
// Controls that several pages use.
import type { Route } from "../route";
import { go, withParams } from "../route";

/** Chooses one of a profile's steps, or with `all`, which names that choice, none (""). `reset` names the parameters that belong to the old step. */
export function StepField({ route, steps, step, all = "", reset = [] }: { route: Route; steps: number[]; step: string; all?: string; reset?: string[] }) {
  const choose = (to: string): void => go(withParams(route, { ...Object.fromEntries(reset.map((name) => [name, null])), step: to || null }));
  return (
    <div class="field">
      <label for="step">step</label>
      <select id="step" value={step} onChange={(e) => choose(e.currentTarget.value)}>
        {all && <option value="">{all}</option>}
        {steps.map((s) => <option key={s} value={String(s)}>{s}</option>)}
      </select>
    </div>
  );
}

/** The text to find on the page, in the address as "q". */
export function FindField({ route }: { route: Route }) {
  return (
    <div class="field wide">
      <label for="search">find</label>
      <input id="search" type="search" value={route.params.get("q") ?? ""} onInput={(e) => go(withParams(route, { q: e.currentTarget.value || null }), true)} />
    </div>
  );
}

interface ChoiceProps {
  name: string;
  label?: string;
  value: string;
  choices: { value: string; title: string }[];
  onChoose: (value: string) => void;
}

export function ChoiceField({ name, label = name, value, choices, onChoose }: ChoiceProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} value={value} onChange={(e) => onChoose(e.currentTarget.value)}>
        {choices.map((c) => <option key={c.value} value={c.value}>{c.title}</option>)}
      </select>
    </div>
  );
}

/** Names as choices; underscores are shown as blanks. */
export const choicesOf = (names: string[]): { value: string; title: string }[] => names.map((n) => ({ value: n, title: n.replaceAll("_", " ") }));
