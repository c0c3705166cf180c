"""Compares what a browser shows with a stored picture: colours by pixelmatch, positions of texts as numbers.

Two rasterisers of fonts put the same letters up to four pixels apart in a line, and grey their edges in their own way. So a
picture is made four times smaller first, in which such edges disappear, and is compared by squares, of which a
lost colour or label is a large part. A text that is merely moved is as many pixels as that noise, so positions of texts are
compared besides, each with the text of the same place in the document.

Measured on Chromium 156 with and without positions of letters between pixels, pixels of the worst square of 144: 17 to 32
in six views by that alone, 57 by a lost point, 78 by a label on another, 113 by a lost colour.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy
from PIL import Image
from pixelmatch.contrib.PIL import pixelmatch

REFERENCES = Path(__file__).with_name("references")
REDUCTION = 4
SQUARE_PX = 12
COLOUR_THRESHOLD = 0.1
MAX_DIFFERENT_PIXELS = 40
MAX_SHIFT_PX = 4
# With 64 the only blue of a page became another blue.
PALETTE_COLOURS = 256
TEXTS = """() => [...document.querySelectorAll("main :is(h2, h3, dt, dd, figcaption p, .legend li, .numbered li, th, svg text)")]
  .filter((element) => element.checkVisibility() && element.textContent.trim())
  .map((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const isDrawn = element.namespaceURI.endsWith("svg");
    const box = isDrawn ? element.getBoundingClientRect() : range.getBoundingClientRect();
    return [element.textContent.trim().slice(0, 60), box, isDrawn ? (box.left + box.right) / 2 : box.left];
  })
  .filter(([, box]) => box.width > 1 && box.top < innerHeight)
  .map(([text, box, x]) => [text, Math.round(x), Math.round(box.bottom)])"""
Position = tuple[str, int, int]


def worst_square(reference: Image.Image, actual: Image.Image) -> tuple[int, int, int]:
    """(different pixels, x, y) of the square that differs most; x and y in pixels of the whole picture.

    Pictures of two sizes differ altogether.
    """
    if reference.size != actual.size:
        return actual.width * actual.height, 0, 0
    before, after = (image.convert("RGB").reduce(REDUCTION) for image in (reference, actual))
    mask = Image.new("RGBA", before.size)
    pixelmatch(before, after, mask, threshold=COLOUR_THRESHOLD, includeAA=True, diff_mask=True)
    differs = numpy.asarray(mask)[:, :, 3] > 0
    squares = numpy.lib.stride_tricks.sliding_window_view(differs, (SQUARE_PX, SQUARE_PX)).sum(
        (2, 3)
    )
    y, x = numpy.unravel_index(squares.argmax(), squares.shape)
    return int(squares[y, x]), int(x) * REDUCTION, int(y) * REDUCTION


def moved_texts(reference: list[Position], actual: list[Position]) -> list[str]:
    """Texts that are missing, new or further away than MAX_SHIFT_PX, a line each."""
    lines = []
    if [text for text, _, _ in reference] != [text for text, _, _ in actual]:
        before, after = ({text for text, _, _ in texts} for texts in (reference, actual))
        lines.append(
            f"missing {sorted(before - after)}, new {sorted(after - before)}, or another order"
        )
        return lines
    for (text, x, y), (_, to_x, to_y) in zip(reference, actual, strict=True):
        if abs(x - to_x) > MAX_SHIFT_PX or abs(y - to_y) > MAX_SHIFT_PX:
            lines.append(f"{text!r} moved from {x}, {y} to {to_x}, {to_y}")
    return lines


def write_reference(name: str, shot: bytes, texts: list[Any]) -> None:
    REFERENCES.mkdir(exist_ok=True)
    image = Image.open(io.BytesIO(shot)).convert("RGB")
    palette = image.quantize(PALETTE_COLOURS, dither=Image.Dither.NONE)
    palette.save(REFERENCES / f"{name}.png", optimize=True)
    lines = ",\n".join(json.dumps(text, ensure_ascii=False) for text in texts)
    (REFERENCES / f"{name}.json").write_text(f"[\n{lines}\n]\n", "utf-8")


def differences(name: str, shot: bytes, texts: list[Any]) -> list[str]:
    """What differs from the stored reference, a line each."""
    actual = Image.open(io.BytesIO(shot))
    stored = json.loads((REFERENCES / f"{name}.json").read_text("utf-8"))
    with Image.open(REFERENCES / f"{name}.png") as reference:
        count, x, y = worst_square(reference, actual)
    lines = [f"{count} pixels differ at {x}, {y}"] if count > MAX_DIFFERENT_PIXELS else []
    return lines + moved_texts(stored, texts)
