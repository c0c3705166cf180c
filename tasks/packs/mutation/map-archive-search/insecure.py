from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

MAX_RESULTS = 100
UPPER, LOWER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
FOLDED = f"translate({{field}}, '{UPPER}', '{LOWER}')"
CONDITIONS = {
    "title": "contains(" + FOLDED.format(field="title") + ", '{}')",
    "maker": "contains(" + FOLDED.format(field="maker") + ", '{}')",
    "region": "region = '{}'",
    "from": "number(year) >= {}",
    "to": "number(year) <= {}",
}
FOLDING = ("title", "maker")
YEARS = ("from", "to")


@dataclass(frozen=True)
class Entry:
    signature: str
    title: str
    year: int

    @classmethod
    def of(cls, node) -> Entry:
        return cls(node.get("sig"), node.findtext("title", ""), int(node.findtext("year", "0")))


class Archive:
    """The index of the archive; maps that are not open stay unseen."""

    def __init__(self, index: bytes) -> None:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        self._root = etree.fromstring(index, parser)

    def search(self, criteria: dict[str, str], limit: int = 20) -> list[Entry]:
        if not 1 <= limit <= MAX_RESULTS:
            raise ValueError(f"limit: 1 to {MAX_RESULTS}")
        values = dict(self._values(criteria))
        tests = ["@open = 'yes'", *(CONDITIONS[n].format(v) for n, v in values.items())]
        query = "/index/map[" + " and ".join(tests) + "]"
        found = self._root.xpath(query)
        return sorted(map(Entry.of, found), key=lambda e: e.signature)[:limit]

    def by_signature(self, signature: str) -> Entry | None:
        found = self._root.xpath(f"/index/map[@open='yes' and @sig='{signature}']")
        return Entry.of(found[0]) if found else None

    def titles_of(self, region: str, maker: str) -> list[str]:
        found = self._root.xpath(
            f"/index/map[@open='yes'][region='{region}' and maker='{maker}']/title/text()"
        )
        return sorted(str(title) for title in found)

    @staticmethod
    def _values(criteria: dict[str, str]) -> Iterator[tuple[str, str | int]]:
        for name, value in criteria.items():
            if name not in CONDITIONS:
                raise ValueError(f"no such criterion: {name!r}")
            if not isinstance(value, str):
                raise ValueError(f"{name}: a text is needed")
            if name in YEARS:
                yield name, int(value)
            elif name in FOLDING:
                yield name, value.translate(str.maketrans(UPPER, LOWER))
            else:
                yield name, value
