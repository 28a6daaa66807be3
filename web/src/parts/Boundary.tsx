// SPDX-License-Identifier: Apache-2.0
// Contains an error while a region is drawn: the rest of the page still works.
import type { ComponentChildren } from "preact";
import { Component } from "preact";

interface Props {
  what: string;
  children: ComponentChildren;
}

export class Boundary extends Component<Props, { fault: string }> {
  override state = { fault: "" };

  static override getDerivedStateFromError(fault: unknown): { fault: string } {
    return { fault: fault instanceof Error ? fault.message : String(fault) };
  }

  override componentDidCatch(fault: unknown): void {
    console.error(fault);
  }

  override render() {
    if (!this.state.fault) return this.props.children;
    return <div class="fault" role="alert"><strong>{this.props.what} cannot be drawn.</strong> {this.state.fault} <button type="button" onClick={() => this.setState({ fault: "" })}>Try again</button></div>;
  }
}
