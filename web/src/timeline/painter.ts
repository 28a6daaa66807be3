// SPDX-License-Identifier: Apache-2.0
// Draws the rectangles of items, by the GPU if there is one, otherwise on a 2D canvas. Both draw the same rows of the same batches.
import type { Items, LaneKind } from "./data";
import { firstAfter, kindAt } from "./data";
import type { Palette } from "./palette";
import { SHADES, TONES } from "./palette";

/** Items prepared for the painter: their colours and strengths are computed once. */
export interface Batch {
  items: Items;
  tone: Uint8Array; // index into the palette's tones
  strong: Float32Array; // 0 to 1
}

/** One row of a batch at a place, within a part of the width. */
export interface RowJob {
  batch: Batch;
  row: number;
  y: number;
  h: number;
  clip: [number, number]; // pixels from and to
  top: number; // it is not drawn above
}

export interface Frame {
  width: number;
  height: number;
  ratio: number;
  from: number; // time at the left edge
  scale: number; // pixels a microsecond
  palette: Palette;
  jobs: RowJob[];
  lines: number[]; // x of the marks of the axis
  linesFrom: number; // their upper end
}

export interface Painter {
  readonly name: "webgl2" | "2d";
  draw(frame: Frame): void;
  forget(batch: Batch): void;
}

const KIND_AT: Record<LaneKind, number> = { compute: 0, communication: 1, copy: 2, host: 3, memory: 4, derived: 3 };
const LEAST_STRONG = 0.4;
const UNFOUND = 0.16; // strength of items that do not match a search
export const LEAST_PX = 1;

/** Names of one kind are told apart by three shades. */
const hashes = new WeakMap<string[], Uint8Array>();
function shadesOf(texts: string[]): Uint8Array {
  const known = hashes.get(texts);
  if (known) return known;
  const shades = Uint8Array.from(texts, (text) => {
    let hash = 7;
    for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
    return Math.abs(hash) % SHADES;
  });
  hashes.set(texts, shades);
  return shades;
}

export function batchOf(items: Items): Batch {
  const tone = new Uint8Array(items.count);
  const strong = new Float32Array(items.count);
  const shades = shadesOf(items.name.texts ?? []);
  for (let i = 0; i < items.count; i++) {
    const times = items.times[i] ?? 1;
    const length = (items.end[i] ?? 0) - (items.start[i] ?? 0);
    // merged spans have several names, so they get the plain tone
    tone[i] = KIND_AT[kindAt(items, i)] * SHADES + (times > 1 ? 0 : (shades[items.name.values[i] ?? 0] ?? 0));
    const busy = times > 1 && length > 0 ? LEAST_STRONG + (1 - LEAST_STRONG) * Math.min(1, (items.busy[i] ?? 0) / length) : 1;
    strong[i] = items.found && !items.found[i] ? UNFOUND : busy;
  }
  return { items, tone, strong };
}

/** The items of a job that may be seen: from, to. */
function seenOf(job: RowJob, frame: Frame): [number, number] {
  const { items } = job.batch;
  const [from, to] = items.at.get(job.row) ?? [0, 0];
  const [left, right] = [frame.from + job.clip[0] / frame.scale, frame.from + job.clip[1] / frame.scale];
  const first = firstAfter(items, from, to, left);
  let low = first;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items.start[middle] ?? 0) < right) low = middle + 1;
    else high = middle;
  }
  return [first, low];
}

// ---- a 2D canvas ----

class FlatPainter implements Painter {
  readonly name = "2d";
  constructor(private readonly pen: CanvasRenderingContext2D) {}

  draw(frame: Frame): void {
    const { pen } = this;
    const { canvas } = pen;
    const [width, height] = [Math.round(frame.width * frame.ratio), Math.round(frame.height * frame.ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    pen.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
    pen.clearRect(0, 0, frame.width, frame.height);
    pen.fillStyle = frame.palette.line;
    for (const x of frame.lines) pen.fillRect(x, frame.linesFrom, 1, frame.height);
    for (const job of frame.jobs) this.row(job, frame);
    pen.globalAlpha = 1;
  }

  private row(job: RowJob, frame: Frame): void {
    const { pen } = this;
    const { items, tone, strong } = job.batch;
    const [left, right] = job.clip;
    const y = Math.max(job.y, job.top);
    const h = job.y + job.h - 1 - y;
    let style = -1;
    if (h <= 0) return;
    const [first, last] = seenOf(job, frame);
    let drawnTo = -Infinity;
    for (let i = first; i < last; i++) {
      const start = ((items.start[i] ?? 0) - frame.from) * frame.scale;
      let end = Math.max(start + LEAST_PX, ((items.end[i] ?? 0) - frame.from) * frame.scale);
      if (end < drawnTo + LEAST_PX / 2 && !items.found?.[i]) continue; // too narrow to be visible: the items are finer than the picture
      drawnTo = end;
      if (end - start > 3) end -= 0.6;
      const x = Math.max(left, start);
      if (tone[i] !== style) pen.fillStyle = frame.palette.tones[(style = tone[i] ?? 0)] ?? "#888";
      pen.globalAlpha = strong[i] ?? 1;
      pen.fillRect(x, y, Math.min(right, end) - x, h);
    }
  }

  forget(): void {
    return;
  }
}

// ---- the GPU ----

const VERTEX = `#version 300 es
precision highp float;
in vec2 a_time; in vec2 a_look;
uniform vec2 u_view; // time at the left, pixels a microsecond
uniform vec4 u_row;  // y, height, width and height of the canvas
uniform vec2 u_least; // least width, gap between two
uniform vec3 u_paper;
uniform vec3 u_tones[${TONES}];
flat out vec3 v_colour;
void main() {
  float x0 = (a_time.x - u_view.x) * u_view.y;
  float x1 = max((a_time.y - u_view.x) * u_view.y, x0 + u_least.x);
  if (x1 - x0 > 3.0 * u_least.x) x1 -= u_least.y;
  x0 = max(x0, -8.0); x1 = min(x1, u_row.z + 8.0);
  float x = (gl_VertexID & 1) == 0 ? x0 : x1;
  float y = u_row.x + ((gl_VertexID & 2) == 0 ? 0.0 : u_row.y);
  gl_Position = vec4(x / u_row.z * 2.0 - 1.0, 1.0 - y / u_row.w * 2.0, 0.0, 1.0);
  v_colour = mix(u_paper, u_tones[int(a_look.x)], a_look.y);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec3 v_colour; out vec4 colour;
void main() { colour = vec4(v_colour, 1.0); }`;
const STRIDE = 16; // four floats an item
const MOST_BUFFERS = 6;

function compile(gl: WebGL2RenderingContext): WebGLProgram | null {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
    const shader = gl.createShader(type);
    if (!shader) return null;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "a_time");
  gl.bindAttribLocation(program, 1, "a_look");
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

class GpuPainter implements Painter {
  readonly name = "webgl2";
  private readonly buffers = new Map<Batch, WebGLBuffer>();
  private readonly at: Record<string, WebGLUniformLocation | null>;

  constructor(
    private readonly gl: WebGL2RenderingContext,
    program: WebGLProgram,
  ) {
    gl.useProgram(program);
    this.at = Object.fromEntries(["u_view", "u_row", "u_least", "u_paper", "u_tones"].map((n) => [n, gl.getUniformLocation(program, n)]));
    for (const i of [0, 1]) {
      gl.enableVertexAttribArray(i);
      gl.vertexAttribDivisor(i, 1);
    }
  }

  /** Times are kept from the start of the window: a float has 24 bits. */
  private bufferOf(batch: Batch): WebGLBuffer | null {
    const { gl } = this;
    const known = this.buffers.get(batch);
    if (known) return known;
    const oldest = this.buffers.keys().next().value;
    if (this.buffers.size >= MOST_BUFFERS && oldest) this.forget(oldest);
    const buffer = gl.createBuffer();
    const { items, tone, strong } = batch;
    const data = new Float32Array(items.count * 4);
    for (let i = 0, k = 0; i < items.count; i++) {
      data[k++] = (items.start[i] ?? 0) - items.window.from;
      data[k++] = (items.end[i] ?? 0) - items.window.from;
      data[k++] = tone[i] ?? 0;
      data[k++] = strong[i] ?? 1;
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    this.buffers.set(batch, buffer);
    return buffer;
  }

  draw(frame: Frame): void {
    const { gl, at } = this;
    const { ratio, palette } = frame;
    const canvas = gl.canvas as HTMLCanvasElement;
    const [width, height] = [Math.round(frame.width * ratio), Math.round(frame.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    const [r, g, b] = palette.rule;
    gl.clearColor(r, g, b, 1);
    for (const x of frame.lines) {
      gl.scissor(Math.round(x * ratio), 0, Math.max(1, Math.floor(ratio)), Math.round((frame.height - frame.linesFrom) * ratio));
      gl.clear(gl.COLOR_BUFFER_BIT);
    }
    gl.uniform3fv(at.u_paper ?? null, palette.paper);
    gl.uniform3fv(at.u_tones ?? null, palette.values);
    gl.uniform2f(at.u_least ?? null, LEAST_PX * ratio, 0.6 * ratio);
    let last: Batch | null = null;
    for (const job of frame.jobs) {
      const [first, end] = seenOf(job, frame);
      if (end <= first) continue;
      const buffer = this.bufferOf(job.batch);
      if (job.batch !== last) {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.uniform2f(at.u_view ?? null, frame.from - job.batch.items.window.from, frame.scale * ratio);
        last = job.batch;
      }
      const y = Math.max(job.y, job.top);
      const h = job.y + job.h - 1 - y;
      if (h <= 0) continue;
      gl.scissor(Math.round(job.clip[0] * ratio), 0, Math.max(0, Math.round((job.clip[1] - job.clip[0]) * ratio)), height);
      gl.uniform4f(at.u_row ?? null, Math.round(y * ratio), Math.round(h * ratio), width, height);
      gl.vertexAttribPointer(0, 2, gl.FLOAT, false, STRIDE, first * STRIDE);
      gl.vertexAttribPointer(1, 2, gl.FLOAT, false, STRIDE, first * STRIDE + 8);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, end - first);
    }
  }

  forget(batch: Batch): void {
    const buffer = this.buffers.get(batch);
    if (buffer) this.gl.deleteBuffer(buffer);
    this.buffers.delete(batch);
  }
}

let slow: boolean | null = null; // asked once

/** If the GPU is emulated by software, its picture is copied twice, and a 2D canvas is more than twice as fast. */
function isSoftware(): boolean {
  if (slow !== null) return slow;
  const gl = document.createElement("canvas").getContext("webgl2");
  const about = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && about ? String(gl.getParameter(about.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return (slow = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name));
}

/** `wanted`: "gpu" or "flat" instead of what is faster here. */
export function painterOf(canvas: HTMLCanvasElement, wanted: string | null): Painter | null {
  const flat = wanted === "flat" || (wanted !== "gpu" && isSoftware());
  const gl = flat ? null : canvas.getContext("webgl2", { alpha: true, antialias: false, depth: false, stencil: false, premultipliedAlpha: true });
  const program = gl && compile(gl);
  if (gl && program) return new GpuPainter(gl, program);
  const pen = canvas.getContext("2d");
  return pen && new FlatPainter(pen);
}
