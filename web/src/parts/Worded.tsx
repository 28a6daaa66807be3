// SPDX-License-Identifier: Apache-2.0
// A sentence whose options, such as --checkpoint_path, are never broken at a hyphen: half of one could not be typed.
import { Fragment } from "preact";

const OPTION = /(?<![\w-])(--?[a-z][\w-]*)/;

export function Worded({ text }: { text: string }) {
  // of what split() returns every second one is an option
  return <>{text.split(OPTION).map((part, i) => <Fragment key={i}>{i % 2 ? <span class="option">{part}</span> : part}</Fragment>)}</>;
}
