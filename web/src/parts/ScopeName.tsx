// SPDX-License-Identifier: Apache-2.0
// A scope by its last parts; the whole path is in its title and selects it.
import { plainName } from "../table/read";
import { ThingLink } from "./Thing";

const SHOWN = 3;

export function ScopeName({ path }: { path: string }) {
  const parts = path.split("/").map(plainName);
  const last = parts.slice(-SHOWN).join(" › ");
  return <ThingLink kind="scope" id={path} full={path} hint={parts.join(" › ")}>{parts.length > SHOWN ? `… › ${last}` : last}</ThingLink>;
}
