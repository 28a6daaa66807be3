// SPDX-License-Identifier: Apache-2.0
// Hints: what an element with `data-hint` says when the pointer or the keyboard is on it, at once and with a finger too. They repeat
// what a selection shows in the details panel, or say more than there is room for: the whole name, a column's meaning, a key.
import { computePosition, flip, offset, shift } from "@floating-ui/dom";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface Hint {
  on: HTMLElement;
  text: string;
}

/** The hint of an element or of what is around it; of a focused row that of its name. "": all of it is visible anyway. */
export function hintOf(target: EventTarget | null, focused: boolean): Hint | null {
  if (!(target instanceof Element)) return null;
  const on = target.closest<HTMLElement>("[data-hint]") ?? (focused ? target.querySelector<HTMLElement>("[data-hint]") : null);
  const text = on?.dataset.hint ?? "";
  if (!on || !text || (on.textContent?.trim() === text && on.scrollWidth <= on.clientWidth)) return null;
  return { on, text };
}

export function Hints() {
  const [hint, set] = useState<Hint | null>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const stop = new AbortController();
    const listen = (name: string, act: (e: Event) => void): void => document.addEventListener(name, act, { signal: stop.signal, capture: true });
    listen("pointerover", (e) => set(hintOf(e.target, false)));
    listen("focusin", (e) => set((e.target as Element).matches(":focus-visible") ? hintOf(e.target, true) : null));
    for (const name of ["pointerdown", "focusout", "scroll", "keydown"]) listen(name, () => set(null));
    return () => stop.abort();
  }, []);
  useLayoutEffect(() => {
    const float = box.current;
    if (!hint || !float) return;
    void computePosition(hint.on, float, { strategy: "fixed", placement: "bottom-start", middleware: [offset(6), flip(), shift({ padding: 8 })] }).then(({ x, y }) => {
      float.style.left = `${x}px`;
      float.style.top = `${y}px`;
    });
  }, [hint]);
  return hint && hint.on.isConnected ? <div ref={box} class="hint" role="tooltip">{hint.text}</div> : null;
}
