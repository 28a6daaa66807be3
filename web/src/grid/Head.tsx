// SPDX-License-Identifier: Apache-2.0
// The head of a grid: a click on a column sorts by it, the biggest first; a second click turns the order.
import type { Column } from "./model";

interface Props {
  columns: Column[];
  sort: string;
  onSort: (sort: string) => void;
  style: Record<string, string>;
  nameTitle: string;
  lead: boolean;
}

const next = (name: string, sort: string, text: boolean): string => (sort === `-${name}` || (text && sort !== name) ? name : `-${name}`);

export function Head({ columns, sort, onSort, style, nameTitle, lead }: Props) {
  const cell = (name: string, title: string, text: boolean, help: string | undefined, index: number) => {
    const by = sort.replace(/^-/, "") === name;
    const turn = (): void => onSort(next(name, sort, text));
    return (
      <div
        key={name}
        role="columnheader"
        class={text ? "nm" : "num"}
        data-column={name}
        aria-colindex={index}
        aria-sort={by ? (sort.startsWith("-") ? "descending" : "ascending") : "none"}
        tabIndex={0}
        data-hint={help}
        onClick={turn}
        onKeyDown={(e) => (e.key === "Enter" || e.key === " ") && (e.preventDefault(), e.stopPropagation(), turn())}
      >
        <span>{title}{by ? (sort.startsWith("-") ? " ↓" : " ↑") : ""}</span>
      </div>
    );
  };
  return (
    <div role="rowgroup" class="head">
      <div role="row" class="r" aria-rowindex={1} style={style}>
        {lead && <div role="columnheader"><span class="away">choose</span></div>}
        {cell("name", nameTitle, true, undefined, 1)}
        {columns.map((c, i) => cell(c.name, c.title, c.text !== undefined, c.help, i + 2))}
      </div>
    </div>
  );
}
