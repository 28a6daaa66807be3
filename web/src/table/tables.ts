// SPDX-License-Identifier: Apache-2.0
// The tables of the place Table, a row each: which request answers it, and what its columns are. Host and device time are
// never added: they are columns of their own.
import type { ProfileFacts, Table } from "../answers/api";
import { isOfStacks } from "../answers/api";
import type { Column, RowSet } from "../grid/model";
import { formatMicros, formatPercent } from "../text/format";
import { byName } from "./kernels";
import type { Num } from "./read";
import { col, listRows, numbers, plainName, shareOf, sum, textCol, texts, treeOf, unlessAllZero } from "./read";

export interface Content {
  set: RowSet;
  columns: Column[];
  sort: string; // the default order
  says?: string; // tells what the numbers cover
  whole?: number; // what the shares are of, where that is not the sum of the column
}

export interface TableBy {
  by: string;
  title: string; // title in the list of tables
  name: string; // heading of the column of names
  view: string; // the server's view
  params: string;
  fits: (facts: ProfileFacts) => boolean;
  read: (t: Table, ranks: number[]) => Content;
  obeys: "all" | "places" | "none"; // which filters apply to it; "places" means ranks and devices
}

const share = (value: Num, whole: number, title = "share"): Column => col("share", title, "share", shareOf(value, whole), { width: 60 });

/** Operations: how long the host is in them, and the device time of what they launched. */
function readOps(t: Table): Content {
  const { rows } = treeOf(t);
  const at = (value: Num): Num => (row) => value(rows[row] ?? 0);
  const n = rows.length;
  const device = unlessAllZero(at(numbers(t, "accelerator_micros")), n);
  const host = at(numbers(t, "cpu_micros"));
  const count = unlessAllZero(at(numbers(t, "runs")), n);
  const [allDevice, allHost] = [sum(device, n), sum(host, n)];
  const main = allDevice > 0 ? device : host;
  const name = texts(t, "name");
  const full = (row: number): string => name(rows[row] ?? 0);
  return {
    set: { count: n, thing: (row) => ({ kind: "op", id: full(row) }), name: (row) => plainName(full(row)), full, look: () => "host" },
    columns: [
      col("total", "device", "us", device, { look: "compute", help: "device time of what the op launched" }),
      col("self", "host", "us", unlessAllZero(host, n), { look: "host", help: "time of the host in the op itself, without ops inside it" }),
      share(main, allDevice > 0 ? allDevice : allHost),
      col("count", "count", "count", count, { width: 64 }),
      col("mean", "host, mean", "us", (row) => ((count(row) ?? 0) > 0 ? (host(row) ?? 0) / (count(row) ?? 1) : null), { extra: true, width: 84 }),
      col("bytes", "bytes", "bytes", unlessAllZero(at(numbers(t, "bytes")), n), { help: "requested memory" }),
      col("parameters", "parameters", "count", unlessAllZero(at(numbers(t, "params")), n), { width: 84 }),
    ],
    sort: allDevice > 0 ? "-total" : allHost > 0 ? "-self" : "-parameters",
    says: allDevice > 0 ? `shares are of ${formatMicros(allDevice)} of device time${allHost > 0 ? `; the host is in ops for ${formatMicros(allHost)}` : ""}` : allHost > 0 ? `shares are of ${formatMicros(allHost)} of host time` : "nothing ran in this profile",
  };
}

/** Scopes: a tree, in which each row includes everything below it. */
function readScopes(t: Table): Content {
  const { rows, parent } = treeOf(t);
  const n = rows.length;
  const at = (name: string): Num => {
    const value = numbers(t, name);
    return unlessAllZero((row) => value(rows[row] ?? 0), n);
  };
  const roots = (value: Num): number => sum((row) => ((parent[row] ?? -1) < 0 ? value(row) : 0), n);
  const [device, host] = [at("total_accelerator_micros"), at("total_cpu_micros")];
  const [allDevice, allHost] = [roots(device), roots(host)];
  const name = texts(t, "name");
  const full = (row: number): string => name(rows[row] ?? 0);
  const last = (row: number): string => {
    const above = parent[row] ?? -1;
    return full(row).slice(above < 0 ? 0 : full(above).length + 1);
  };
  return {
    set: { count: n, parent, thing: (row) => ({ kind: "scope", id: full(row) }), name: (row) => plainName(last(row)), full },
    columns: [
      col("total", "device", "us", device, { look: "compute", help: "device time of everything in the scope" }),
      col("host", "host", "us", host, { look: "host", help: "host time of everything in the scope" }),
      col("self", "host, self", "us", at("cpu_micros"), { extra: true, look: "host", help: "host time of the scope itself" }),
      share(allDevice > 0 ? device : host, allDevice > 0 ? allDevice : allHost),
      col("count", "count", "count", at("total_runs"), { width: 64, help: "runs of ops in the scope" }),
      col("bytes", "bytes", "bytes", at("total_bytes")),
      col("parameters", "parameters", "count", at("total_params"), { width: 84 }),
    ],
    sort: allDevice > 0 ? "-total" : allHost > 0 ? "-host" : "-parameters",
    says: allDevice > 0 ? `shares are of ${formatMicros(allDevice)} of device time` : allHost > 0 ? `shares are of ${formatMicros(allHost)} of host time` : "nothing ran in this profile",
  };
}

/** Calls: a tree as they nested on the host's threads, with the device time of what they launched. */
function readCalls(t: Table): Content {
  const { rows, parent } = treeOf(t);
  const n = rows.length;
  const at = (name: string): Num => {
    const value = numbers(t, name);
    return unlessAllZero((row) => value(rows[row] ?? 0), n);
  };
  const whole = (value: Num): number => sum((row) => ((parent[row] ?? -1) < 0 ? value(row) : 0), n);
  const [device, host] = [at("total_accelerator_micros"), at("total_cpu_micros")];
  const [allDevice, allHost] = [whole(device), whole(host)];
  const name = texts(t, "name");
  // a call is identified by its path, because the same function is called from many places
  const paths: string[] = [];
  for (let row = 0; row < n; row++) paths[row] = ((parent[row] ?? -1) < 0 ? "" : `${paths[parent[row] ?? 0]} › `) + name(rows[row] ?? 0);
  return {
    set: { count: n, parent, thing: (row) => ({ kind: "call", id: paths[row] ?? "" }), name: (row) => name(rows[row] ?? 0), full: (row) => paths[row] ?? "" },
    columns: [
      col("total", "device", "us", device, { look: "compute", help: "device time of what was launched inside" }),
      col("host", "host", "us", host, { look: "host", help: "host time with everything called inside" }),
      col("self", "host, self", "us", at("cpu_micros"), { look: "host", help: "host time of the call itself" }),
      share(allDevice > 0 ? device : host, allDevice > 0 ? allDevice : allHost),
      col("count", "count", "count", at("total_runs"), { width: 64 }),
    ],
    sort: allDevice > 0 ? "-total" : "-host",
    says: allDevice > 0 ? `shares are of ${formatMicros(allDevice)} of device time` : `shares are of ${formatMicros(allHost)} of host time`,
  };
}

function readLines(t: Table): Content {
  const first = t.columns[0]?.name ?? "line";
  const n = t.rows;
  const [both, onDevice] = [numbers(t, "self_us"), numbers(t, "accelerator_us")]; // `both` is a sum; where host and device ran, they have columns of their own
  const apart = t.column("host_us") !== undefined;
  const device = unlessAllZero(apart ? numbers(t, "device_us") : onDevice, n);
  const self: Num = apart ? numbers(t, "host_us") : (row) => (both(row) ?? 0) - (onDevice(row) ?? 0);
  const total = apart ? numbers(t, "total_host_us") : sum(device, n) > 0 ? (): null => null : numbers(t, "total_us");
  const [allDevice, own, all] = [sum(device, n), sum(self, n), sum(numbers(t, "all_share"), n)];
  const deviceColumn = own > 0 ? "device" : "self"; // where no host time has a line, a line's own time is the device's
  const covered = `with a line${all > 0 && all < 0.9995 ? `, ${formatPercent(100 * all)} of all` : ""}`;
  return {
    set: listRows(t, first, "line"),
    columns: [
      col(deviceColumn, "device", "us", device, { look: "compute", help: "device time of what ops on the line launched" }),
      col(own > 0 ? "self" : "host", "host, self", "us", unlessAllZero(self, n), { look: "host", help: "host time of ops called on the line itself" }),
      col("total", "host", "us", unlessAllZero(total, n), { look: "host", help: "host time with everything called on the line" }),
      col("share", "share", "share", shareOf(allDevice > 0 ? device : self, allDevice > 0 ? allDevice : own), { width: 60, help: "of the time that has a line" }),
      col("count", "count", "count", unlessAllZero(numbers(t, "runs"), n), { width: 64 }),
      col("bytes", "bytes", "bytes", unlessAllZero(numbers(t, "bytes"), n)),
    ],
    sort: allDevice > 0 ? `-${deviceColumn}` : "-self",
    says: !n ? "" : allDevice > 0 ? `shares are of ${formatMicros(allDevice)} of device time ${covered}` : `shares are of ${formatMicros(own)} ${covered}`,
  };
}

function readTransfers(t: Table): Content {
  const n = t.rows;
  const [kind, device, group] = [texts(t, "kind"), texts(t, "device"), texts(t, "group")];
  const exposed = numbers(t, "exposed_us");
  return {
    set: {
      count: n,
      thing: (row) => ({ kind: "transfer", id: [kind(row), device(row), group(row)].filter(Boolean).join(" · ") }),
      name: kind,
      full: (row) => [kind(row), device(row), group(row)].filter(Boolean).join(" · "),
      look: (row) => (/^[HDP]to[HDP]|^set/.test(kind(row)) ? "copy" : "communication"),
    },
    columns: [
      textCol("device", "device", device, { width: 70 }),
      col("count", "count", "count", numbers(t, "count"), { width: 64 }),
      col("total", "total", "us", numbers(t, "total_us")),
      col("exposed", "exposed", "us", exposed, { help: "while nothing computes on that device" }),
      col("share", "share", "share", numbers(t, "share"), { width: 60, help: "of the time of the steps" }),
      col("bytes", "bytes", "bytes", numbers(t, "bytes")),
      col("rate", "GB/s", "rate", numbers(t, "gbps"), { width: 60 }),
      col("bus", "bus GB/s", "rate", numbers(t, "bus_gbps"), { extra: true }),
      col("size", "ranks", "count", numbers(t, "group_size"), { extra: true, width: 52 }),
    ],
    sort: "-total",
    says: `exposed: nothing computes meanwhile, ${formatMicros(sum(exposed, n))} in all`,
  };
}

function readWaits(t: Table): Content {
  const [cause, where, example] = [texts(t, "cause"), texts(t, "where"), texts(t, "example")];
  return {
    set: {
      count: t.rows,
      thing: (row) => ({ kind: "wait", id: `${cause(row)} · ${where(row)}` }),
      name: (row) => `waits for the ${cause(row)}`.replace("the other", "something else"),
      full: (row) => `${cause(row)} · ${where(row)}`,
      look: () => "idle",
    },
    columns: [
      textCol("where", "where", where, { width: 140 }),
      col("count", "count", "count", numbers(t, "count"), { width: 64 }),
      col("total", "total", "us", numbers(t, "total_us")),
      col("mean", "mean", "us", numbers(t, "mean_us")),
      col("max", "max", "us", numbers(t, "max_us")),
      col("share", "share", "share", numbers(t, "share"), { width: 60, help: "of the time recorded" }),
      textCol("example", "before", example, { extra: true, width: 200 }),
    ],
    sort: "-total",
    says: "gaps of streams and threads by what ends them; several lanes may wait at a time, so the shares do not add up to 100 %",
  };
}

function readParameters(t: Table): Content {
  const first = t.columns[0]?.name ?? "name";
  const skip = (name: string): boolean => name === first || ["row", "parent", "depth"].includes(name);
  return {
    set: listRows(t, first, "parameter"),
    columns: t.columns.filter((c) => !skip(c.name)).map((c) => (c.type === "text" ? textCol(c.name, c.name.replaceAll("_", " "), texts(t, c.name)) : col(c.name, c.name.replaceAll("_", " "), c.unit, numbers(t, c.name)))),
    sort: "",
  };
}

const hasTimes = (f: ProfileFacts): boolean => f.has?.times ?? false;
const hasNodes = (f: ProfileFacts): boolean => !isOfStacks(f);
const VIEW = "&max_depth=100000&select=accelerator_micros,cpu_micros,occurrence,bytes,params";

export const TABLES: TableBy[] = [
  { by: "op", title: "ops", name: "op", view: "op", params: VIEW, fits: hasNodes, read: readOps, obeys: "all" },
  { by: "kernel", title: "kernels", name: "kernel", view: "kernel", params: "", fits: hasTimes, read: byName, obeys: "all" },
  { by: "scope", title: "scopes", name: "scope", view: "scope", params: VIEW, fits: hasNodes, read: readScopes, obeys: "all" },
  { by: "line", title: "lines", name: "line", view: "lines", params: "", fits: (f) => Boolean(f.has?.stacks || f.has?.trace || isOfStacks(f)), read: readLines, obeys: "all" },
  { by: "call", title: "calls", name: "call", view: "calls", params: "&max_depth=100000&select=accelerator_micros,cpu_micros,occurrence", fits: (f) => (f.has?.trace ?? false) || isOfStacks(f), read: readCalls, obeys: "all" },
  { by: "transfer", title: "transfers", name: "transfer", view: "transfer", params: "", fits: hasTimes, read: readTransfers, obeys: "all" },
  { by: "wait", title: "waits", name: "wait", view: "wait", params: "", fits: hasTimes, read: readWaits, obeys: "places" },
  { by: "parameter", title: "parameters", name: "parameter", view: "params", params: "", fits: (f) => Boolean(f.has?.checkpoint || (f.has?.graph && !f.has.trace)), read: readParameters, obeys: "none" },
];

/** The tables of a profile, and the one to show first. */
export const tablesOf = (facts: ProfileFacts): TableBy[] => TABLES.filter((t) => t.fits(facts));
export const tableBy = (by: string, facts: ProfileFacts): TableBy | undefined =>
  tablesOf(facts).find((t) => t.by === by) ?? (isOfStacks(facts) ? TABLES[3] : TABLES[0]);
