// SPDX-License-Identifier: Apache-2.0
// The search: one list of ops, kernels, scopes, lines, steps and places. Arrows choose, Enter goes there.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../state/keys";
import type { Opened } from "../state/opened";
import { NameText } from "../grid/Row";
import { placesOf } from "../places";
import { change, query } from "../state/store";
import { follow, goOn } from "./go";
import type { Entry } from "./index";
import { entries } from "./index";
import { haystackOf, hitsOf } from "./match";

const TITLES: Record<string, string> = { place: "place", kernel: "kernel", op: "op", scope: "scope", line: "line", step: "step" };

/** Everything that can be found; requested when the search is first used. */
function useEntries(of: Opened, wanted: boolean): { all: Entry[]; haystack: string[] } {
  const [all, set] = useState<Entry[]>([]);
  useEffect(() => {
    if (!wanted) return;
    void entries(of, placesOf(of.facts)).then(set);
  }, [wanted, of.id]);
  return useMemo(() => ({ all, haystack: haystackOf(all) }), [all]);
}

function Option({ e, chosen, id, onPick }: { e: Entry; chosen: boolean; id: string; onPick: () => void }) {
  return (
    <div role="option" id={id} aria-selected={chosen} data-kind={e.kind} data-id={e.id} data-full={e.full} onPointerDown={(ev) => (ev.preventDefault(), onPick())}>
      <span class="s">{TITLES[e.kind] ?? e.kind}</span>
      <span class="nm" data-hint={e.full}><NameText text={e.text} /></span>
    </div>
  );
}

export function Search({ of }: { of: Opened }) {
  const [typed, setTyped] = useState<string | null>(null); // null: nothing is being typed
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const { all, haystack } = useEntries(of, typed !== null);
  const hits = useMemo(() => hitsOf(all, haystack, typed ?? ""), [all, typed]);
  useKeys({ "/": (e) => (e.preventDefault(), input.current?.focus(), input.current?.select()), n: () => void goOn(of, false), "Shift+N": () => void goOn(of, true) }, [of]);
  const waiting = useRef("");
  const pick = (i: number): void => {
    const text = typed ?? "";
    setTyped(null);
    input.current?.blur();
    void follow(of, text, hits, i);
  };
  useEffect(() => {
    // Enter was pressed before the names were loaded
    if (!waiting.current || !all.length) return;
    waiting.current = "";
    pick(0);
  }, [all]);
  const onKey = (e: KeyboardEvent): void => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") setAt(Math.max(0, Math.min(hits.length - 1, at + (e.key === "ArrowDown" ? 1 : -1))));
    else if (e.key === "Enter" && !all.length) waiting.current = typed ?? "";
    else if (e.key === "Enter") pick(at);
    else if (e.key === "Escape") (setTyped(null), input.current?.blur());
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const onInput = (text: string): void => {
    setTyped(text);
    setAt(0);
    if (!text) change({ q: "" });
  };
  const open = typed !== null && hits.length > 0;
  return (
    <div class="search-box" role="search" aria-label="Search">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Search ops, kernels, lines, spans, places"
        aria-expanded={open}
        aria-controls="search-hits"
        aria-autocomplete="list"
        aria-activedescendant={open ? `hit-${at}` : undefined}
        placeholder="Search ops, kernels, lines, places"
        value={typed ?? query.value}
        onFocus={() => setTyped(query.value)}
        onBlur={() => setTyped(null)}
        onInput={(e) => onInput(e.currentTarget.value)}
        onKeyDown={onKey}
      />
      {typed === null && (query.value ? <button type="button" class="cross" aria-label="Clear search" onClick={() => change({ q: "" })}>×</button> : <kbd>/</kbd>)}
      <div id="search-hits" class={open ? "hits" : "hits away"} role="listbox" aria-label="Hits" hidden={!open}>
        {open && hits.map((e, i) => <Option key={`${e.kind} ${e.id}`} id={`hit-${i}`} e={e} chosen={i === at} onPick={() => pick(i)} />)}
      </div>
    </div>
  );
}
