// SPDX-License-Identifier: Apache-2.0
// What the details panel shows for each kind of thing. A place may bring the panel of its own kind here.
import type { ComponentType } from "preact";
import type { Opened } from "../opened";
import type { Kind, Thing } from "../store";
import { RangePanel } from "../timeline/RangePanel";
import { ProfilePanel } from "./ProfilePanel";

export interface PanelProps {
  thing: Thing;
  of: Opened;
}

export const PANELS: Partial<Record<Kind, ComponentType<PanelProps>>> = {
  profile: ProfilePanel,
  range: RangePanel,
};
