// SPDX-License-Identifier: Apache-2.0
// The address in the form that older pages read; new code uses store.ts.
import { state } from "./store";

export interface Route {
  page: string; // "profiles", "overview", "scope" ...
  id: string; // id of the profile, or ""
  params: URLSearchParams;
}

/** Decodes a word of an address that a person may have typed. */
function plainWord(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").map(plainWord);
  const params = new URLSearchParams(query);
  if (parts[0] === "p" && parts[1]) return { page: parts[2] || "overview", id: parts[1], params };
  return { page: parts[0] || "profiles", id: "", params };
}

export function hashOf(page: string, id: string, params?: URLSearchParams): string {
  const query = params?.toString();
  const path = id ? `#/p/${encodeURIComponent(id)}/${page}` : `#/${page === "profiles" ? "" : page}`;
  return query ? `${path}?${query}` : path;
}

/** Goes to another state. `quietly`: replaces the present entry of the history, as while typing in a field. */
export function go(route: Route, quietly = false): void {
  const hash = hashOf(route.page, route.id, route.params);
  if (hash === location.hash) return;
  if (!quietly) {
    location.hash = hash;
    return;
  }
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** The same route with some parameters set (null: removed). */
export function withParams(route: Route, changed: Record<string, string | null>): Route {
  const params = new URLSearchParams(route.params);
  for (const [name, value] of Object.entries(changed)) {
    if (value === null) params.delete(name);
    else params.set(name, value);
  }
  return { ...route, params };
}

export function useRoute(): Route {
  void state.value; // a component that calls this is drawn again when the state changes
  return parseRoute(location.hash);
}
