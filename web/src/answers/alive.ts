// SPDX-License-Identifier: Apache-2.0
// Whether the server answers. `again` grows when the server is back; requests that failed meanwhile are then repeated.
import { signal } from "@preact/signals";

export const serverGone = signal(false);
export const again = signal(0);
