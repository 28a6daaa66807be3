// SPDX-License-Identifier: Apache-2.0
// The panel for each kind of thing. A place adds the panel of its own kind here.
import type { ComponentType } from "preact";
import type { Opened } from "../state/opened";
import type { Kind, Thing } from "../state/store";
import { RangePanel } from "../timeline/RangePanel";
import { ChangePanel } from "./ChangePanel";
import { HolderPanel } from "./HolderPanel";
import { KernelPanel } from "./KernelPanel";
import { ChainPanel, LayerPanel, ShapePanel } from "./Limit";
import { CallPanel, LinePanel, OpPanel, ScopePanel } from "./OpPanel";
import { FindingPanel, RowPanel } from "./OtherPanels";
import { ProfilePanel } from "./ProfilePanel";
import { SpanPanel } from "./SpanPanel";
import { PartPanel, RankPanel, StepPanel } from "./StepPanel";

export interface PanelProps {
  thing: Thing;
  of: Opened;
}

export const PANELS: Partial<Record<Kind, ComponentType<PanelProps>>> = {
  profile: ProfilePanel,
  rank: RankPanel,
  step: StepPanel,
  part: PartPanel,
  op: OpPanel,
  kernel: KernelPanel,
  scope: ScopePanel,
  line: LinePanel,
  call: CallPanel,
  span: SpanPanel,
  finding: FindingPanel,
  change: ChangePanel,
  range: RangePanel,
  transfer: RowPanel,
  wait: RowPanel,
  parameter: RowPanel,
  tensor: HolderPanel,
  shape: ShapePanel,
  chain: ChainPanel,
  layer: LayerPanel,
};
