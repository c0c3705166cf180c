from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

MAX_TEXT = 2000
PIECE = re.compile(r"[^{}]+|\{\{|\}\}|\{(?P<field>[a-z.]+)\}")


class TemplateError(ValueError):
    """A text that is no template of a notice."""


@dataclass
class Customer:
    name: str
    email: str
    password_hash: str = ""


@dataclass
class Order:
    number: int
    cents: int
    customer: Customer

    @property
    def total(self) -> str:
        return f"{self.cents // 100}.{self.cents % 100:02d}"


FIELDS: dict[str, Callable[[Order], str]] = {
    "customer.name": lambda order: order.customer.name,
    "customer.email": lambda order: order.customer.email,
    "order.number": lambda order: str(order.number),
    "order.total": lambda order: order.total,
}


class NoticeTemplate:
    def __init__(self, text: str) -> None:
        if len(text) > MAX_TEXT:
            raise TemplateError("the text is too long")
        self._pieces: list[str | Callable[[Order], str]] = []
        place = 0
        while place < len(text):
            match = PIECE.match(text, place)
            if match is None:
                raise TemplateError(f"character {place + 1}: a brace stands alone")
            self._pieces.append(self._piece(match))
            place = match.end()

    @staticmethod
    def _piece(match: re.Match[str]) -> str | Callable[[Order], str]:
        field = match["field"]
        if field is None:
            return match[0][0] if match[0] in ("{{", "}}") else match[0]
        if field not in FIELDS:
            raise TemplateError(f"{field}: no such field")
        return FIELDS[field]

    def render(self, order: Order) -> str:
        return "".join(piece if isinstance(piece, str) else piece(order) for piece in self._pieces)
