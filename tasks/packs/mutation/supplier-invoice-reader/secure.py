from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from lxml import etree

COUNT = re.compile(r"[1-9][0-9]{0,3}")
PRICE = re.compile(r"[0-9]{1,6}(\.[0-9]{1,2})?")
HIGHEST = Decimal(100_000)


class InvoiceError(ValueError):
    """A file that is no invoice for us."""


@dataclass(frozen=True)
class Invoice:
    supplier: str
    number: str
    lines: tuple[tuple[str, int, Decimal], ...]

    @property
    def total(self) -> Decimal:
        return sum((count * price for _, count, price in self.lines), Decimal(0))


def load(path: Path) -> etree._Element:
    """Return the root of a document with its entities left alone."""
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        tree = etree.parse(str(path), parser)
    except (etree.XMLSyntaxError, OSError) as error:
        raise InvoiceError("the file is no XML document") from error
    return tree.getroot()


def read_line(element: etree._Element) -> tuple[str, int, Decimal]:
    text = (element.text or "").strip()
    count, price = element.get("count", ""), element.get("price", "")
    if element.tag != "line" or len(element) or not text:
        raise InvoiceError("a line has a text and nothing else")
    if not COUNT.fullmatch(count) or not PRICE.fullmatch(price) or Decimal(price) > HIGHEST:
        raise InvoiceError("a line has a count and a price")
    return text, int(count), Decimal(price)


class InvoiceReader:
    def __init__(self, known: set[str]) -> None:
        self._known = known

    def read(self, path: Path) -> Invoice:
        root = load(path)
        supplier, number = root.get("supplier", ""), root.get("number", "")
        if root.tag != "invoice" or not number:
            raise InvoiceError("the document is no invoice")
        if supplier not in self._known:
            raise InvoiceError("the supplier is not known")
        return Invoice(supplier, number, tuple(read_line(element) for element in root))
