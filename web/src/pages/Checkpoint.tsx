// The tensors of a checkpoint, with how their values are spread.
import { useState } from "preact/hooks";
import { cellText, json, table } from "../api";
import { formatCount } from "../format";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, withParams } from "../route";

interface Value {
  name: string;
  dtype: string;
  shape: number[];
  count: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  histogram: { from: number; to: number; counts: number[] } | null;
  first: (number | string)[];
}

function Histogram({ of }: { of: { from: number; to: number; counts: number[] } }) {
  const most = Math.max(1, ...of.counts);
  const step = 600 / of.counts.length;
  return (
    <svg class="histogram" viewBox="0 0 600 150" role="img" aria-label={`histogram from ${of.from} to ${of.to}`}>
      {of.counts.map((n, i) => (
        <rect key={i} x={i * step + 0.5} y={130 - (n / most) * 125} width={step - 1} height={(n / most) * 125}>
          <title>{n.toLocaleString()}</title>
        </rect>
      ))}
      <text x="0" y="146">{of.from.toPrecision(4)}</text>
      <text x="600" y="146" text-anchor="end">{of.to.toPrecision(4)}</text>
    </svg>
  );
}

function Tensor({ route, name }: { route: Route; name: string }) {
  const path = `/api/v1/profiles/${route.id}/tensors/value?name=${encodeURIComponent(name)}`;
  const loaded = useLoaded(path, (signal) => json<Value>(path, signal));
  return (
    <Status of={loaded}>
      {(v) => (
        <section aria-label={v.name}>
          <h2>{v.name}</h2>
          <p>
            {v.dtype}, {v.shape.length ? v.shape.join(" × ") : "scalar"}: {v.count.toLocaleString()} values
            {v.mean !== null && v.min !== null && v.max !== null && `; from ${v.min.toPrecision(6)} to ${v.max.toPrecision(6)}, mean ${v.mean.toPrecision(6)}`}
          </p>
          {v.histogram && <Histogram of={v.histogram} />}
          <p class="soft">First values: {v.first.join(", ")}</p>
        </section>
      )}
    </Status>
  );
}

export function Checkpoint({ route }: { route: Route }) {
  const path = `/api/v1/profiles/${route.id}/tensors?format=columns`;
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
    <main>
      <h1>Checkpoint</h1>
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
                        {isReport ? t.name : <button type="button" aria-pressed={t.name === name} onClick={() => go(withParams(route, { tensor: t.name }))}>{t.name}</button>}
                        <span class="soft"> {t.shape} {formatCount(t.elements)}</span>
                      </li>
                    ))}
                </ul>
              </div>
              {isReport ? (
                <p class="empty">The values of the tensors are not in a report.</p>
              ) : name ? (
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
    </main>
  );
}
