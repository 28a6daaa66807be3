// SPDX-License-Identifier: Apache-2.0
// A sentence in which the names of the profile are links.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { profilePath } from "../answers/api";
import { tableOnce } from "../answers/data";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import type { Kind } from "../state/store";
import { shortNames, texts } from "../table/read";
import { ThingLink } from "./Thing";
import { Worded } from "./Worded";

interface Known {
  name: string;
  kind: Kind;
  short: string;
}

const LEAST = 5; // shorter names may be ordinary words

async function namesOf(of: Opened): Promise<Known[]> {
  const kernels = of.facts.has?.times ? await tableOnce(profilePath(of.id, "views/kernel?format=columns")).catch(() => null) : null;
  const ops = await tableOnce(profilePath(of.id, "views/op?format=columns&max_depth=100000&select=micros,accelerator_micros,cpu_micros,occurrence,bytes,params")).catch(() => null);
  const out: Known[] = [];
  for (const [t, kind] of [[kernels, "kernel"], [ops, "op"]] as const) {
    if (!t) continue;
    const [name, short] = [texts(t, "name"), shortNames(t, "name")];
    for (let i = 0; i < t.rows; i++) if (name(i).length >= LEAST && !name(i).startsWith("_TFProf")) out.push({ name: name(i), kind, short: short(i) });
  }
  return out.sort((a, b) => b.name.length - a.name.length); // the longest name wins
}

interface Hit extends Known {
  at: number;
  size: number;
}

/** Finds names in the text: whole names, or a kernel's name without its parameters. */
function hitsIn(text: string, known: Known[]): Hit[] {
  const hits: Hit[] = [];
  for (const k of known) {
    const cut = k.kind === "kernel" ? [k.name.replace(/^void /, "").replace(/[(<].*$/, "")] : [];
    const written = [k.name, ...cut].find((w) => w.length >= LEAST && text.includes(w));
    if (!written) continue;
    const at = text.indexOf(written);
    const whole = !/[\w:]/.test(text[at - 1] ?? " ") && !/[\w:]/.test(text[at + written.length] ?? " ");
    if (whole && !hits.some((h) => at < h.at + h.size && h.at < at + written.length)) hits.push({ ...k, at, size: written.length });
  }
  return hits.sort((a, b) => a.at - b.at);
}

/** A whole name as a link to the kernel or op that has it. */
export function LinkedName({ name, of }: { name: string; of: Opened }) {
  const known = useLoaded(`known ${of.id}`, () => namesOf(of)).value?.find((k) => k.name === name);
  return known ? <ThingLink kind={known.kind} id={name} full={name}>{known.short}</ThingLink> : <>{name}</>;
}

export function LinkedText({ text, of }: { text: string; of: Opened }) {
  const known = useLoaded(`known ${of.id}`, () => namesOf(of)).value;
  return useMemo(() => {
    const out: ComponentChildren[] = [];
    let at = 0;
    for (const h of hitsIn(text, known ?? [])) {
      out.push(<Worded key={`before ${h.at}`} text={text.slice(at, h.at)} />, <ThingLink key={h.at} kind={h.kind} id={h.name} full={h.name}>{h.short}</ThingLink>);
      at = h.at + h.size;
    }
    return <>{out}<Worded text={text.slice(at)} /></>;
  }, [text, known]);
}
