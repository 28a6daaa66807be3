// SPDX-License-Identifier: Apache-2.0
// A number that changes whenever the server's list of profiles does.
import { useEffect, useState } from "preact/hooks";
import { changes } from "../answers/api";
import { isReport } from "../answers/embedded";

const AGAIN_MS = 3000; // pause after a failed request
const LEAST_MS = 500; // least pause between two requests

export function useListVersion(): number {
  const [version, set] = useState(0);
  useEffect(() => {
    if (isReport) return undefined;
    const stop = new AbortController();
    let timer = 0;
    const follow = async (since: number): Promise<void> => {
      let [next, pause] = [since, AGAIN_MS];
      try {
        if (!document.hidden) next = (await changes(since, stop.signal)).changed;
        if (next !== since) pause = LEAST_MS;
      } catch {
        pause = AGAIN_MS; // it may come back
      }
      if (stop.signal.aborted) return;
      set(next);
      timer = window.setTimeout(() => void follow(next), pause);
    };
    void follow(0);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, []);
  return version;
}
