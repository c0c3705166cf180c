from __future__ import annotations

from dataclasses import dataclass

MAX_TEXT = 2000


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


class NoticeTemplate:
    def __init__(self, text: str) -> None:
        if len(text) > MAX_TEXT:
            raise TemplateError("the text is too long")
        self._text = text

    def render(self, order: Order) -> str:
        try:
            return self._text.format(customer=order.customer, order=order)
        except (KeyError, AttributeError, IndexError, TypeError, ValueError) as error:
            raise TemplateError(f"no such field: {error}") from error
