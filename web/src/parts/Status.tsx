// What is shown while something is loaded, and when that failed.
import type { ComponentChildren } from "preact";
import type { Loaded } from "../load";

export function Status<T>({ of, children }: { of: Loaded<T>; children: (value: T) => ComponentChildren }) {
  if (of.error)
    return (
      <div class="fault" role="alert">
        <strong>That did not work.</strong> {of.error}
      </div>
    );
  return (
    <>
      {of.busy && (
        <div class="busy" role="status">
          <progress max={1} {...(of.progress > 0 ? { value: of.progress } : {})} aria-label="loading" />
        </div>
      )}
      {of.value !== undefined && children(of.value)}
    </>
  );
}
