// SPDX-License-Identifier: Apache-2.0
// Keys of the whole page. A component adds its own while it is shown; nothing happens while a text is being typed.
import { useEffect } from "preact/hooks";
import { tinykeys } from "tinykeys";

export type Keys = Record<string, (e: KeyboardEvent) => void>;

const TYPING = "input:not([type=checkbox]):not([type=radio]),textarea,select,[contenteditable]";
export const isTyping = (e: Event): boolean => e.target instanceof Element && e.target.matches(TYPING);

/** Calls functions for keys, which are named as in tinykeys: "w", "Shift+N", "g o", "[Shift]+?". `inputs` are those of useEffect. */
export function useKeys(keys: Keys, inputs: readonly unknown[]): void {
  useEffect(() => tinykeys(window, keys, { ignore: (e) => e.defaultPrevented || isTyping(e) }), inputs);
}
