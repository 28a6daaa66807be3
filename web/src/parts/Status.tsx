// SPDX-License-Identifier: Apache-2.0
// Content that is being loaded: a progress bar, then the content or an error.
import type { ComponentChildren } from "preact";
import type { Loaded } from "../answers/load";

interface Props<T> {
  of: Loaded<T>;
  missing?: boolean; // status 400 tells what the profile lacks, and is no error
  calm?: boolean; // keeps the old content while it is loading again
  children: (value: T) => ComponentChildren;
}

function Busy({ progress }: { progress: number }) {
  return (
    <div class="busy" role="status">
      <progress max={1} {...(progress > 0 ? { value: progress } : {})} aria-label="loading" />
      {progress > 0 && <span class="soft"> reading the file: {Math.round(100 * progress)}{"\u00a0"}%</span>}
    </div>
  );
}

export function Status<T>({ of, calm, missing, children }: Props<T>) {
  if (of.error && missing && of.status === 400) return <p class="empty">{of.error}</p>;
  if (of.error)
    return (
      <div class="fault" role="alert">
        <strong>That did not work.</strong> {of.error}
      </div>
    );
  return (
    <>
      {of.busy && !(calm && of.value !== undefined) && <Busy progress={of.progress} />}
      {of.value !== undefined && children(of.value)}
    </>
  );
}
