// SPDX-License-Identifier: Apache-2.0
// The state of a request: its value, its error, its progress.
import { useEffect, useState } from "preact/hooks";
import type { Progress } from "./api";

export interface Loaded<T> {
  value: T | undefined; // also an older one while the next is on its way
  error: string;
  progress: number; // 0 to 1
  busy: boolean;
}

/** Runs `get` when `key` changes; a request for an older key is cancelled. */
export function useLoaded<T>(key: string, get: (signal: AbortSignal, progress: Progress) => Promise<T>): Loaded<T> {
  const [state, set] = useState<Loaded<T>>({ value: undefined, error: "", progress: 0, busy: true });
  useEffect(() => {
    const stop = new AbortController();
    set((old) => ({ ...old, error: "", progress: 0, busy: true }));
    get(stop.signal, (progress) => set((old) => ({ ...old, progress }))).then(
      (value) => {
        if (!stop.signal.aborted) set({ value, error: "", progress: 1, busy: false });
      },
      (fault: unknown) => {
        if (stop.signal.aborted) return;
        const error = fault instanceof Error ? fault.message : String(fault);
        set({ value: undefined, error, progress: 0, busy: false });
      },
    );
    return () => stop.abort();
  }, [key]);
  return state;
}
