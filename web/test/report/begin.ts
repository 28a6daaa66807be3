// SPDX-License-Identifier: Apache-2.0
// The page is a report here: a file that holds its answers, packed, a data element each (src/outputs/html).
import { gzipSync } from "node:zlib";
import { packed } from "../server";
import { KERNELS, OPS, entry, facts } from "../profile";
import { reals, tableOf, words } from "../tables";

const api = "/api/v1";
const one = `${api}/profiles/a1`;
function hold(path: string, pairs: string[], bytes: ArrayBuffer | object, more: Record<string, string> = {}): void {
  const element = document.createElement("script");
  element.setAttribute("type", "text/plain");
  element.setAttribute("data-ask", [path, ...pairs].join("\t"));
  for (const [name, value] of Object.entries(more)) element.setAttribute(name, value);
  element.textContent = gzipSync(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : Buffer.from(JSON.stringify(bytes))).toString("base64");
  document.body.append(element);
}
hold(`${api}/profiles`, [], { changed: 0, profiles: [entry()] });
hold(one, [], facts());
hold(`${one}/views/op`, ["format=columns", "max_depth=100000", "order_by=start", "select=accelerator_micros,cpu_micros,occurrence,bytes,params"], packed(OPS));
hold(`${one}/views/op`, ["float_ops_source=own", "format=columns", "max_depth=100000", "order_by=start", "select=params,float_ops"], packed(tableOf([OPS.columns[0] ?? words("name", []), OPS.columns[1] ?? words("p", []), reals("float_ops", [0, 7, 8, 9])], { tree: true, notes: ["worked out"], noteCodes: ["OWN"] })));
hold(`${one}/views/kernel`, ["format=columns"], packed(KERNELS));
/** Each whole block of the data by the places of bytes in their numbers, as server/report_page.c writes long tables. */
function planes(of: ArrayBuffer): ArrayBuffer {
  const bytes = [...new Uint8Array(of)];
  const begin = 12 + new DataView(of).getUint32(8, true);
  const blocks = Array.from({ length: Math.floor((bytes.length - begin) / 65536) }, (_, i) => bytes.slice(begin + i * 65536, begin + (i + 1) * 65536));
  const turned = blocks.flatMap((block) => [0, 1, 2, 3, 4, 5, 6, 7].flatMap((place) => block.filter((_, i) => i % 8 === place)));
  return Uint8Array.from([...bytes.slice(0, begin), ...turned, ...bytes.slice(begin + turned.length)]).buffer;
}
/** Two blocks of numbers, and a rest. */
export const LONG = tableOf([reals("n", Array.from({ length: 20_000 }, (_, i) => (i - 9_000) * 1.25)), words("name", ["first", ...Array.from({ length: 19_999 }, () => "other")])]);
hold(`${one}/leaves`, ["format=columns"], planes(packed(LONG)), { "data-planes": "" });
hold(`${one}/views/lines`, ["format=columns"], {}, { "data-left": "The lines had no room in this report.", "data-over": "lines" });
