// SPDX-License-Identifier: Apache-2.0
// Copies the rows of a table as they are shown.
import { useState } from "preact/hooks";

export function Copies({ kinds }: { kinds: Record<string, () => string> }) {
  const [told, setTold] = useState("");
  const copy = async (kind: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(kinds[kind]?.() ?? "");
      setTold(`These rows are copied as ${kind}.`);
    } catch {
      setTold("The browser does not let this page copy: it allows that only for pages of this computer or with https.");
    }
    setTimeout(() => setTold(""), 2500);
  };
  return (
    <>
      {Object.keys(kinds).map((kind) => <button key={kind} type="button" onClick={() => void copy(kind)}>Copy {kind}</button>)}
      <span class="soft" role="status">{told}</span>
    </>
  );
}
