// What is asked of the server while something is shown: its state, and what to say meanwhile.
import { useEffect, useState } from "preact/hooks";
import type { Progress } from "./api";

export interface Loaded<T> {
  value: T | undefined; // also an older one while the next is on its way
  error: string;
  progress: number; // 0 to 1
  busy: boolean;
}

/** Runs `get` when `key` changes; what is no longer wanted is stopped. */
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
