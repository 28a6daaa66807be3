// SPDX-License-Identifier: Apache-2.0
// A button that opens a small list beside it; Escape and a click elsewhere close it.
import { computePosition, flip, offset, shift } from "@floating-ui/dom";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  label?: string; // label of the button, when its text is not enough
  text: ComponentChildren;
  class?: string;
  role?: "menu" | "dialog";
  name: string; // name of the list
  children: (close: () => void) => ComponentChildren;
}

/** Closes on Escape and on a click outside. */
function useClosing(open: boolean, box: { current: HTMLElement | null }, close: () => void): void {
  useEffect(() => {
    if (!open) return undefined;
    const away = (e: Event): void => {
      if (!box.current?.contains(e.target as Node)) close();
    };
    const key = (e: KeyboardEvent): void => {
      if (e.key !== "Escape") return;
      e.preventDefault(); // keeps the selection
      e.stopPropagation();
      close();
      box.current?.querySelector<HTMLElement>("button")?.focus();
    };
    addEventListener("pointerdown", away, true);
    addEventListener("keydown", key, true);
    return () => {
      removeEventListener("pointerdown", away, true);
      removeEventListener("keydown", key, true);
    };
  }, [open]);
}

export function Menu({ label, text, class: look, role = "menu", name, children }: Props) {
  const [open, set] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const close = (): void => set(false);
  useClosing(open, box, close);
  useLayoutEffect(() => {
    const button = box.current?.querySelector("button");
    if (!open || !button || !list.current) return;
    const float = list.current;
    void computePosition(button, float, { strategy: "fixed", placement: "bottom-start", middleware: [offset(4), flip(), shift({ padding: 8 })] }).then(({ x, y }) => {
      float.style.left = `${x}px`;
      float.style.top = `${y}px`;
    });
    float.querySelector<HTMLElement>("a,button,input")?.focus({ preventScroll: true });
  }, [open]);
  return (
    <span class="menu-box" ref={box}>
      <button type="button" class={look} aria-label={label} aria-haspopup={role} aria-expanded={open} onClick={() => set(!open)}>{text}</button>
      {open && <div ref={list} class="menu" role={role} aria-label={name}>{children(close)}</div>}
    </span>
  );
}

/** An item of a menu: a link, or a button. */
export function Item({ children, href, download, onClick }: { children: ComponentChildren; href?: string; download?: boolean; onClick?: () => void }) {
  return href ? <a role="menuitem" href={href} download={download} onClick={onClick}>{children}</a> : <button type="button" role="menuitem" onClick={onClick}>{children}</button>;
}
