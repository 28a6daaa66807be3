// SPDX-License-Identifier: Apache-2.0
// How many requests a region of the page waits for: main and the details panel each say so with aria-busy.
import type { Signal } from "@preact/signals";
import { signal } from "@preact/signals";
import { createContext } from "preact";

export const mainBusy = signal(0);
export const detailsBusy = signal(0);
/** Header, context bar and rail fill in by themselves; nothing waits for them. */
export const quietBusy = signal(0);
export const BusyContext = createContext<Signal<number>>(mainBusy);
