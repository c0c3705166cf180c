"""What a browser says is wrong with a view: labels that overlap, stand out of their drawing, or are cut."""

from __future__ import annotations

# Waits until all of a view is drawn.
WHOLE = """async () => {
  const shown = () => performance.getEntriesByName("arena-shown").length && !document.querySelector(".later");
  while (!shown()) await new Promise((done) => setTimeout(done, 20));
  for (let n = 0; n < 3; n++) await new Promise((done) => requestAnimationFrame(done));
}"""
# { overlaps, beyond, cut: names of labels; answer: where it ends; height, wide: of the page in pixels }
FLAWS = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const box = (one) => one.getBoundingClientRect();
  const texts = all("main svg text").filter((one) => one.textContent.trim() && one.checkVisibility());
  const boxes = texts.map((one) => ({ at: box(one), name: one.textContent, svg: one.ownerSVGElement }));
  const common = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
  const on = (a, b) => common(a, b, "left", "right") > 2 && common(a, b, "top", "bottom") > 3;
  const overlaps = boxes.flatMap((a, n) => boxes.slice(n + 1)
    .filter((b) => a.svg === b.svg && on(a.at, b.at)).map((b) => `${a.name} / ${b.name}`));
  const isBeyond = ({ at, svg }) => at.right > box(svg).right + 1 || at.left < box(svg).left - 1;
  const hides = (one) => getComputedStyle(one).overflowX !== "visible";
  const isCut = (one) => one.scrollWidth > one.clientWidth + 1 && hides(one);
  const root = document.documentElement;
  return {
    overlaps, beyond: boxes.filter(isBeyond).map(({ name }) => name),
    cut: all("main td, main th").filter(isCut).map((one) => one.textContent),
    answer: document.querySelector(".answer")?.getBoundingClientRect().bottom ?? 0,
    height: root.scrollHeight, wide: root.scrollWidth,
  };
}"""
