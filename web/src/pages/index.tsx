// SPDX-License-Identifier: Apache-2.0
// The pages of a profile, a row each: navigation and routes are made from this table.
import type { ComponentChildren } from "preact";
import type { ProfileFacts, Tables } from "../api";
import { isOfStacks } from "../api";
import { isReport } from "../held";
import type { Route } from "../route";
import { Advice } from "./Advice";
import { Checkpoint } from "./Checkpoint";
import { Flame } from "./Flame";
import { Flops } from "./Flops";
import { Graph } from "./Graph";
import { Memory } from "./Memory";
import { Overview } from "./Overview";
import { Prompt } from "./Prompt";
import { Query } from "./Query";
import { SourcePage } from "./Source";
import { Stats } from "./Stats";
import { Summary } from "./Summary";
import { TracePage } from "./TracePages";
import { Views } from "./Views";

export interface PageProps {
  route: Route;
  files: string[]; // all that the profile is read from
  facts: ProfileFacts;
  tables: Tables;
}

export interface Page {
  name: string;
  title: string;
/** Whether the page has anything to show for this profile. */
  fits: (facts: ProfileFacts) => boolean;
  show: (props: PageProps) => ComponentChildren;
}

/** The steps of which views show numbers unless one is chosen. */
const allOf = (facts: ProfileFacts): string => (facts.has?.trace ? "all" : "mean of all");
const always = (_: ProfileFacts): boolean => true;
const hasNodes = (facts: ProfileFacts): boolean => !isOfStacks(facts);
// neither a trace without its graph nor a checkpoint has edges
const hasEdges = (facts: ProfileFacts): boolean => facts.has?.graph ?? true;
const hasVariables = (facts: ProfileFacts): boolean => Boolean(facts.has?.checkpoint || (facts.has?.graph && !facts.has.trace));
const hasStacks = (facts: ProfileFacts): boolean => facts.has?.stacks ?? true;
const view = (name: string, fits = always): Page => ({
  name,
  title: name[0]?.toUpperCase() + name.slice(1),
  fits,
  show: ({ route, files, facts, tables }) => <Views key={name} view={name} route={route} files={files} steps={facts.steps} all={allOf(facts)} tables={tables} />,
});

/** A table of recorded times: of a trace, RunMetadata or ProfileProto. */
const trace = (name: string, fits = (facts: ProfileFacts): boolean => facts.has?.times ?? false): Page => ({
  name,
  title: name[0]?.toUpperCase() + name.slice(1),
  fits,
  show: ({ route, files, facts }) => <TracePage key={name} view={name} route={route} files={files} steps={facts.steps} />,
});

export const pages: Page[] = [
  { name: "overview", title: "Overview", fits: always, show: ({ route, facts }) => <Overview route={route} facts={facts} /> },
  { name: "advice", title: "Advice", fits: always, show: ({ route, files, tables }) => <Advice route={route} files={files} tables={tables} /> },
  { name: "summary", title: "Summary", fits: always, show: ({ route, files }) => <Summary route={route} files={files} /> },
  trace("steps"),
  trace("transfer"),
  trace("wait"),
  trace("kernel"),
  trace("check"),
  view("scope", hasNodes),
  view("graph", hasEdges),
  view("op", hasNodes),
  view("calls", (facts) => (facts.has?.trace ?? false) || isOfStacks(facts)),
  view("code", (facts) => hasStacks(facts) || isOfStacks(facts)),
  trace("params", hasVariables),
  trace("lines", (facts) => (hasStacks(facts) && facts.steps.length > 0) || isOfStacks(facts)),
  { name: "flame", title: "Flame graph", fits: always, show: ({ route, files, facts, tables }) => <Flame route={route} files={files} facts={facts} stacks={hasStacks(facts)} tables={tables} /> },
  {
    name: "stats",
    title: "Statistics",
    fits: (facts) => !isReport && facts.steps.length > 1,
    show: ({ route, files, tables }) => <Stats route={route} files={files} tables={tables} />,
  },
  { name: "memory", title: "Memory", fits: (facts) => facts.has?.memory ?? false, show: ({ route, files, facts }) => <Memory route={route} files={files} facts={facts} /> },
  { name: "dataflow", title: "Dataflow", fits: hasEdges, show: ({ route, facts, tables }) => <Graph route={route} facts={facts} tables={tables} /> },
  { name: "flops", title: "Float ops", fits: (facts) => facts.has?.graph ?? true, show: ({ route, files, tables }) => <Flops route={route} files={files} tables={tables} /> },
  { name: "source", title: "Source", fits: (facts) => (facts.has?.code ?? true) && hasNodes(facts), show: ({ route }) => <SourcePage route={route} /> },
  { name: "checkpoint", title: "Checkpoint", fits: (facts) => facts.has?.checkpoint ?? true, show: ({ route }) => <Checkpoint route={route} /> },
  { name: "query", title: "Query", fits: () => !isReport, show: ({ route, files }) => <Query route={route} files={files} /> },
  { name: "prompt", title: "Prompt", fits: () => !isReport, show: ({ route }) => <Prompt route={route} /> },
];
