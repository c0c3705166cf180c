from __future__ import annotations

from dataclasses import dataclass

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_SOURCE = 5000
MAX_LETTER = 20000


class NewsletterError(ValueError):
    """A template that cannot become a letter."""


@dataclass(frozen=True)
class Subscriber:
    name: str
    city: str
    _token: str = ""


@dataclass(frozen=True)
class Article:
    title: str
    words: int


class Newsletter:
    def __init__(self, source: str) -> None:
        if len(source) > MAX_SOURCE:
            raise NewsletterError("the template is too long")
        environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
        try:
            self._template = environment.from_string(source)
        except TemplateError as error:
            raise NewsletterError(f"the template is malformed: {error}") from error

    def render(self, subscriber: Subscriber, articles: list[Article]) -> str:
        pieces, length = [], 0
        try:
            for piece in self._template.generate(subscriber=subscriber, articles=articles):
                length += len(piece)
                if length > MAX_LETTER:
                    raise NewsletterError("the letter is too long")
                pieces.append(piece)
        except (TemplateError, TypeError, ArithmeticError, LookupError, OverflowError) as error:
            raise NewsletterError(f"the template failed: {error}") from error
        return "".join(pieces)
