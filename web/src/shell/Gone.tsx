// SPDX-License-Identifier: Apache-2.0
// An alert that the server has ended. The page asks it again now and then; when the server is back, failed requests are repeated.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { again, serverGone } from "../answers/alive";

const AGAIN_MS = 3000;
const trying = signal(false);

async function tryAgain(): Promise<void> {
  trying.value = true;
  try {
    await fetch("/api/v1/tables", { credentials: "same-origin" });
    serverGone.value = false;
    again.value++;
  } catch {
    serverGone.value = true;
  }
  trying.value = false;
}

export function Gone() {
  const gone = serverGone.value;
  useEffect(() => {
    if (!gone) return undefined;
    const timer = setInterval(() => void tryAgain(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [gone]);
  if (!gone) return null;
  return (
    <div class="gone" role="alert">
      The server does not answer. What is shown stays; start <code>tfprof serve</code> again, and the page goes on.{" "}
      <button type="button" disabled={trying.value} onClick={() => void tryAgain()}>Try again</button>
    </div>
  );
}
