// SPDX-License-Identifier: Apache-2.0
// The state of a request: its value, its error, its progress. The region of the page that it belongs to is busy meanwhile.
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import { again } from "./alive";
import type { Progress } from "./api";
import { ApiError } from "./api";
import { BusyContext } from "./busy";

export interface Loaded<T> {
  value: T | undefined; // also an older one while the next is on its way
  error: string;
  status?: number; // of the server's answer, when it is an error
  progress: number; // 0 to 1
  busy: boolean;
}

/** Runs `get` when `key` changes; a request for an older key is cancelled. */
export function useLoaded<T>(key: string, get: (signal: AbortSignal, progress: Progress) => Promise<T>): Loaded<T> {
  const [state, set] = useState<Loaded<T>>({ value: undefined, error: "", progress: 0, busy: true });
  const busy = useContext(BusyContext);
  const turn = useRetry(state.error);
  useLayoutEffect(() => {
    const stop = new AbortController();
    let waits = 1;
    busy.value++;
    const done = (): void => {
      if (waits) busy.value--;
      waits = 0;
    };
    set((old) => ({ ...old, error: "", progress: 0, busy: true }));
    get(stop.signal, (progress) => !stop.signal.aborted && set((old) => ({ ...old, progress }))).then(
      (value) => {
        if (!stop.signal.aborted) set({ value, error: "", progress: 1, busy: false });
        done();
      },
      (fault: unknown) => {
        if (stop.signal.aborted) return;
        const error = fault instanceof Error ? fault.message : String(fault);
        set({ value: undefined, error, progress: 0, busy: false, ...(fault instanceof ApiError ? { status: fault.status } : {}) });
        done();
      },
    );
    return () => {
      stop.abort();
      done();
    };
  }, [key, turn]);
  return state;
}

/** A number that changes when a failed request should be repeated, because the server is back. */
function useRetry(error: string): number {
  const turn = useRef(again.peek());
  const now = again.value;
  if (error) turn.current = now;
  return turn.current;
}
