// SPDX-License-Identifier: Apache-2.0
// Whether the server answers. `again` grows when it is back: what failed meanwhile is then asked for again.
import { signal } from "@preact/signals";

export const serverGone = signal(false);
export const again = signal(0);
