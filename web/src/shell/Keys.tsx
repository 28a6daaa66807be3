// SPDX-License-Identifier: Apache-2.0
// The sheet of keys, and the keys that go to places.
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../state/keys";
import { PLACES } from "../places";
import { goTo, profileId } from "../state/store";

const SHEET: [string, [string, string][]][] = [
  ["Anywhere", [["/", "search"], ["n  N", "next and previous match"], [".  ,", "next and previous like the selected"], ["Enter", "go to the best place of the selected"], ["Esc", "clear the selection, then the range"], ["?", "this sheet"]]],
  ["Timeline", [["w  s  + −", "zoom in and out"], ["a  d", "move left and right"], ["ctrl + wheel, pinch", "zoom about the pointer"], ["0", "show all"], ["f", "show the selected"], ["m", "its time as the range"], ["drag", "choose a range"], ["Enter", "select the longest span"], ["shift + arrows", "select the span beside it"]]],
  ["Memory", [["← →", "choose a moment"], ["drag, shift + ← →", "choose a range"]]],
  ["Tables", [["↑ ↓", "previous and next row"], ["→ ←", "open and close a row"]]],
];

export function Keys() {
  const [open, set] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  useKeys({ "[Shift]+?": () => set(true) }, []);
  useKeys(Object.fromEntries(PLACES.map((p) => [`g ${p.key}`, () => void (profileId.value && goTo(p.name))])), []);
  return (
    <>
      <button type="button" class="hide" aria-label="Keys" data-hint="Keys (?)" onClick={() => set(true)}>?</button>
      {open && (
        <dialog ref={dialog} class="keys" aria-label="Keys" onClose={() => set(false)} onClick={(e) => e.target === dialog.current && dialog.current?.close()}>
          <button type="button" class="close" aria-label="Close keys" onClick={() => dialog.current?.close()}>×</button>
          {SHEET.map(([title, rows]) => (
            <section key={title}>
              <h2>{title}</h2>
              <dl>{rows.map(([key, text]) => [<dt key={key}><kbd>{key}</kbd></dt>, <dd key={text}>{text}</dd>])}</dl>
            </section>
          ))}
          <section>
            <h2>Places</h2>
            <dl>{PLACES.map((p) => [<dt key={p.key}><kbd>g {p.key}</kbd></dt>, <dd key={p.name}>{p.title}</dd>])}</dl>
          </section>
        </dialog>
      )}
    </>
  );
}
