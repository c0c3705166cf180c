// A drawing as a file: SVG that needs no style sheet, in the light colours, and the same as PNG.

import { download } from "./csv.js";
import { draw } from "./dom.js";

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "font-size", "font-weight", "paint-order", "text-anchor"];
const SCALE = 2;
const FONT = "system-ui, sans-serif";

/** The drawing with all that its looks hang on written into it. note: what its numbers mean. */
function whole(drawing, title, note) {
  const root = document.documentElement;
  const theme = root.dataset.theme;
  root.dataset.theme = "light"; // never painted: it is set back before the browser draws
  const copy = drawing.cloneNode(true);
  const [before, after] = [drawing, copy].map((svg) => [svg, ...svg.querySelectorAll("*")]);
  before.forEach((element, n) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) after[n].setAttribute(name, style.getPropertyValue(name).replaceAll('"', ""));
    for (const name of ["class", "data-kind", "role", "aria-label"]) after[n].removeAttribute(name);
  });
  const page = getComputedStyle(root).getPropertyValue("--page");
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  for (const link of copy.querySelectorAll("a")) link.replaceWith(...link.childNodes);
  const [width, height] = ["width", "height"].map((name) => copy.getAttribute(name));
  const patterns = document.querySelector(".patterns defs").cloneNode(true);
  copy.prepend(draw("title", {}, title), draw("desc", {}, note), patterns, draw("rect", { width, height, fill: page.trim() }));
  copy.setAttribute("font-family", FONT);
  return new XMLSerializer().serializeToString(copy);
}

/** A canvas whose columns have numbers (`columnNames`) with the names below it, as a file has no page around it. */
function withNames(drawing) {
  const names = drawing.columnNames ?? [];
  const line = 16 * (drawing.width / Math.max(1, drawing.clientWidth));
  const made = document.createElement("canvas");
  [made.width, made.height] = [drawing.width, drawing.height + line * (names.length ? names.length + 1 : 0)];
  const [pen, style] = [made.getContext("2d"), getComputedStyle(drawing)];
  pen.fillStyle = style.getPropertyValue("--page");
  pen.fillRect(0, 0, made.width, made.height);
  pen.drawImage(drawing, 0, 0);
  pen.fillStyle = style.color;
  pen.font = `${0.75 * line}px ${FONT}`;
  names.forEach((name, n) => pen.fillText(`${n + 1}  ${name}`, line / 2, drawing.height + line * (n + 1)));
  return made;
}

export const svg = (drawing, title, note, file) => download(`${file}.svg`, whole(drawing, title, note), "image/svg+xml");

export async function png(drawing, title, note, file) {
  const save = (canvas) => canvas.toBlob((made) => download(`${file}.png`, made, "image/png"));
  if (drawing instanceof HTMLCanvasElement) return save(withNames(drawing));
  const image = new Image();
  const text = new TextEncoder().encode(whole(drawing, title, note));
  image.src = `data:image/svg+xml;base64,${btoa(Array.from(text, (byte) => String.fromCharCode(byte)).join(""))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [SCALE * image.width, SCALE * image.height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return save(canvas);
}
