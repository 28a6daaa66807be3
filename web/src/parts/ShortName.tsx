// SPDX-License-Identifier: Apache-2.0
// A kernel's short name, as the table of kernels has it.
import { profilePath } from "../answers/api";
import { useTable } from "../answers/data";
import { NameText } from "../grid/Row";
import type { Opened } from "../state/opened";
import { kernelsOf } from "../table/kernels";

export function ShortName({ of, name }: { of: Opened; name: string }) {
  const t = useTable(of.facts.has?.times ? profilePath(of.id, "views/kernel?format=columns") : "").value;
  const known = t && kernelsOf(t, []).find((k) => k.name === name);
  return <NameText text={known?.short ?? name} />;
}
