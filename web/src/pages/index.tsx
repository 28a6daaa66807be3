// The pages of a profile: a row each; the navigation and the routes come from it.
import type { ComponentChildren } from "preact";
import type { ProfileFacts, Tables } from "../api";
import { heldSteps, isReport } from "../held";
import type { Route } from "../route";
import { Checkpoint } from "./Checkpoint";
import { Flame } from "./Flame";
import { Flops } from "./Flops";
import { Graph } from "./Graph";
import { Memory } from "./Memory";
import { Overview } from "./Overview";
import { Prompt } from "./Prompt";
import { SourcePage } from "./Source";
import { Timeline } from "./Timeline";
import { Views } from "./Views";

export interface PageProps {
  route: Route;
  file: string;
  facts: ProfileFacts;
  tables: Tables;
}

export interface Page {
  name: string;
  title: string;
  /** Whether this profile has something to show there. */
  fits: (facts: ProfileFacts) => boolean;
  show: (props: PageProps) => ComponentChildren;
}

const always = (): boolean => true;
// of these a report holds one step
const ofHeldSteps = (facts: ProfileFacts): ProfileFacts => ({ ...facts, steps: heldSteps(facts.steps) });
const view = (name: string): Page => ({
  name,
  title: name[0]?.toUpperCase() + name.slice(1),
  fits: always,
  show: ({ route, file, tables }) => <Views key={name} view={name} route={route} file={file} tables={tables} />,
});

export const pages: Page[] = [
  { name: "overview", title: "Overview", fits: always, show: ({ route, facts }) => <Overview route={route} facts={facts} /> },
  view("scope"),
  view("graph"),
  view("op"),
  view("code"),
  { name: "flame", title: "Flame graph", fits: always, show: ({ route, tables }) => <Flame route={route} tables={tables} /> },
  { name: "timeline", title: "Timeline", fits: (facts) => facts.steps.length > 0, show: ({ route, facts }) => <Timeline route={route} facts={ofHeldSteps(facts)} /> },
  { name: "memory", title: "Memory", fits: (facts) => facts.steps.length > 0, show: ({ route, facts }) => <Memory route={route} facts={ofHeldSteps(facts)} /> },
  { name: "dataflow", title: "Dataflow", fits: always, show: ({ route, tables }) => <Graph route={route} tables={tables} /> },
  { name: "flops", title: "Float ops", fits: (facts) => facts.has?.graph ?? true, show: ({ route, file }) => <Flops route={route} file={file} /> },
  { name: "source", title: "Source", fits: (facts) => facts.has?.code ?? true, show: ({ route }) => <SourcePage route={route} /> },
  { name: "checkpoint", title: "Checkpoint", fits: (facts) => facts.has?.checkpoint ?? true, show: ({ route }) => <Checkpoint route={route} /> },
  { name: "prompt", title: "Prompt", fits: () => !isReport, show: ({ route }) => <Prompt route={route} /> },
];
