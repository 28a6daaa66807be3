// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { keepTheme, keptTheme, useShownTheme } from "../../src/state/theme";
import { draw, settled, textOf } from "../drawn";

function Theme() {
  return <p>{useShownTheme()}</p>;
}

test("a chosen theme is kept, and without one it is the system's", () => {
  localStorage.removeItem("theme");
  assert.equal(keptTheme(), "auto");
  keepTheme("dark");
  assert.deepEqual([keptTheme(), document.documentElement.dataset.theme], ["dark", "dark"]);
});
test("pictures are drawn again when the theme changes", async () => {
  keepTheme("auto");
  const root = draw(<Theme />);
  assert.equal(textOf(root), "light");
  keepTheme("dark");
  await settled();
  assert.equal(textOf(root), "dark");
});
test("a page without storage, such as a report from a mail, has a theme all the same", () => {
  const kept = Object.getOwnPropertyDescriptor(globalThis, "localStorage") as PropertyDescriptor;
  const none = (): never => {
    throw new Error("no storage");
  };
  Object.defineProperty(globalThis, "localStorage", { get: none, configurable: true });
  assert.equal(keptTheme(), "auto");
  keepTheme("dark");
  assert.equal(document.documentElement.dataset.theme, "dark");
  Object.defineProperty(globalThis, "localStorage", kept);
});
