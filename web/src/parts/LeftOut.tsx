// SPDX-License-Identifier: Apache-2.0
// What a report leaves out, on its first page.
import { isReport, leftOut } from "../answers/embedded";

export function LeftOut({ id = "" }: { id?: string }) {
  if (!isReport) return null;
  return <>{leftOut(id).map(({ why, what }) => <p key={why} class="note" role="note">Left out of this report: {what.join(", ")}. {why.slice(0, 1).toUpperCase()}{why.slice(1).replace(/\.$/, "")}.</p>)}</>;
}
