// SPDX-License-Identifier: Apache-2.0
// The tensors of a checkpoint, with the distribution of their values.
import { useState } from "preact/hooks";
import { cellText, json, profilePath, table } from "../answers/api";
import { formatCount } from "../text/format";
import { embeddedParts, isReport, whyNot } from "../answers/embedded";
import { useLoaded } from "../answers/load";
import { Status } from "../parts/Status";
import type { Route } from "../state/route";
import { go, withParams } from "../state/route";

interface Value {
  name: string;
  dtype: string;
  shape: string;
  elements: number;
  numbers: boolean; // false: none of the fields below
  finite?: number;
  zeros?: number;
  nans?: number;
  infinities?: number;
  min?: number;
  max?: number;
  mean?: number;
  deviation?: number;
  histogram?: number[]; // equal parts from min to max
  values?: (number | null)[]; // the first; null: not finite
}

const digits = (n: number): string => String(Number(n.toPrecision(6)));

function Histogram({ counts, from, to }: { counts: number[]; from: number; to: number }) {
  const most = Math.max(1, ...counts);
  const step = 600 / counts.length;
  const edge = (i: number): string => digits(from + ((to - from) * i) / counts.length);
  return (
    <svg class="histogram" viewBox="0 0 600 150" role="img" aria-label={`histogram from ${digits(from)} to ${digits(to)}`}>
      {counts.map((n, i) => (
        <g key={i}>
          <title>{edge(i)} to {edge(i + 1)}: {n.toLocaleString()} values</title>
          <rect class="reach" x={i * step} y={0} width={step} height={130} />
          <rect x={i * step + 0.5} y={130 - (n / most) * 125} width={step - 1} height={(n / most) * 125} />
        </g>
      ))}
      <text x="0" y="146">{digits(from)}</text>
      <text x="600" y="146" text-anchor="end">{digits(to)}</text>
    </svg>
  );
}

/** Values that are not plain numbers, in words. */
function oddOnes(v: Value): string {
  const said = [
    [v.zeros, "zeros"],
    [v.nans, "NaN"],
    [v.infinities, "infinite"],
  ] as const;
  return said.filter(([n]) => n).map(([n, word]) => `${(n ?? 0).toLocaleString()} ${word}`).join(", ");
}

const valuePath = (route: Route, name: string): string => profilePath(route.id, `tensors/value?name=${encodeURIComponent(name)}`);

/** A report holds the values of the first tensors only. */
const hasValues = (route: Route, name: string): boolean => !isReport || !whyNot(embeddedParts(valuePath(route, name)));

function Tensor({ route, name }: { route: Route; name: string }) {
  const path = valuePath(route, name);
  const loaded = useLoaded(path, (signal) => json<Value>(path, signal));
  return (
    <Status of={loaded}>
      {(v) => (
        <section aria-label={v.name}>
          <h2>{v.name}</h2>
          <p>
            {v.dtype}, {v.shape ? v.shape.replaceAll("x", " × ") : "scalar"}: {v.elements.toLocaleString()} {v.elements === 1 ? "value" : "values"}
          </p>
          {v.finite && v.min !== undefined && v.max !== undefined ? (
            <>
              <p>
                From {digits(v.min)} to {digits(v.max)}, mean {digits(v.mean ?? 0)}, standard deviation {digits(v.deviation ?? 0)}
              </p>
              {v.histogram && v.max > v.min && <Histogram counts={v.histogram} from={v.min} to={v.max} />}
            </>
          ) : (
            <p class="empty">{v.numbers ? "It has no finite value." : "Its type is not a number: there is nothing to sum up."}</p>
          )}
          {oddOnes(v) && <p>Among them: {oddOnes(v)}</p>}
          {v.values?.length ? (
            <p class="soft">
              {v.values.length < v.elements ? "First values: " : "Values: "}
              {v.values.map((n) => (n === null ? "not finite" : digits(n))).join(", ")}
            </p>
          ) : null}
        </section>
      )}
    </Status>
  );
}

export function Checkpoint({ route }: { route: Route }) {
  const path = profilePath(route.id, "tensors?format=columns");
  const loaded = useLoaded(path, async (signal, progress) => {
    const t = await table(path, signal, progress);
    const [tensor, shape, elements] = ["name", "shape", "elements"].map((n) => t.column(n));
    return Array.from({ length: t.rows }, (_, i) => ({
      name: tensor ? cellText(tensor, i) : "",
      shape: shape ? cellText(shape, i) : "",
      elements: elements?.values[i] ?? 0,
    }));
  });
  const [search, setSearch] = useState("");
  const name = route.params.get("tensor");
  return (
    <section class="old">
      <h1 class="away">Checkpoint</h1>
      <Status of={loaded}>
        {(all) =>
          all.length ? (
            <div class="beside">
              <div>
                <label class="search">Find <input type="search" value={search} onInput={(e) => setSearch(e.currentTarget.value)} /></label>
                <ul class="tensors">
                  {all
                    .filter((t) => t.name.toLowerCase().includes(search.toLowerCase()))
                    .slice(0, 2000)
                    .map((t) => (
                      <li key={t.name}>
                        {hasValues(route, t.name) ? <button type="button" aria-pressed={t.name === name} onClick={() => go(withParams(route, { tensor: t.name }))}>{t.name}</button> : t.name}
                        <span class="soft"> {t.shape} {formatCount(t.elements)}</span>
                      </li>
                    ))}
                </ul>
              </div>
              {name ? (
                <Tensor key={name} route={route} name={name} />
              ) : (
                <p class="empty">Choose a tensor.</p>
              )}
            </div>
          ) : (
            <p class="empty">No checkpoint is part of this profile.</p>
          )
        }
      </Status>
    </section>
  );
}
