from dataclasses import dataclass

from lxml import etree

LAST_MINUTE = 24 * 60 - 1


@dataclass(frozen=True)
class Departure:
    line: str
    minute: int
    towards: str

    @classmethod
    def of(cls, run) -> "Departure":
        return cls(run.get("line"), int(run.get("minute")), run.get("towards"))


class Timetable:
    """Reads of a timetable what passengers may know."""

    def __init__(self, document: bytes):
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        self._root = etree.fromstring(document, parser)

    def departures(self, stop: str, days: str, after: int = 0) -> list[Departure]:
        self._check_minute(after)
        runs = self._root.xpath(
            "stop[@name=$stop]/run[@depot='no' and @days=$days and @minute>=$after]",
            stop=stop,
            days=days,
            after=after,
        )
        return sorted(map(Departure.of, runs), key=lambda d: d.minute)

    def lines(self, stop: str) -> set[str]:
        return set(self._root.xpath("stop[@name=$stop]/run[@depot='no']/@line", stop=stop))

    def next_towards(self, stop: str, towards: str, after: int = 0) -> Departure | None:
        self._check_minute(after)
        runs = self._root.xpath(
            "stop[@name=$stop]/run[@depot='no' and @towards=$place and @minute>=$after]",
            stop=stop,
            place=towards,
            after=after,
        )
        return min(map(Departure.of, runs), key=lambda d: d.minute, default=None)

    @staticmethod
    def _check_minute(minute: int) -> None:
        if not 0 <= minute <= LAST_MINUTE:
            raise ValueError(f"minute {minute} is not of a day")
