"""Sources of perplexities, and the store of log-probabilities that spares each repeated request."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from arena.tracks.exposure.scores import FORMS, Form, perplexity
from arena.tracks.pool import each
from harness.grade.ports import ResultCache, digest_of
from parsers.registry import UnknownName, lookup, names

PACKAGE = "arena.tracks.exposure.perplexity"
# Of what is kept; part of each key.
VERSION = "1"
Logprobs = tuple[float | None, ...]


class NoPerplexity(ValueError):
    """This text has no perplexity; its R is 1, and reported so. The message is a single line."""


class ReferenceUnusable(ValueError):
    """No text will get a perplexity: the endpoint or the file does not fit. The message is a single line."""


class ReferenceFault(ReferenceUnusable):
    """The endpoint is not reached, or fails. It does not depend on the text: nothing is stored."""


class Perplexities(Protocol):
    """label: where they come from, for reports."""

    label: str

    def perplexity_of(self, text: str) -> float:
        """The perplexity of a text. Raises NoPerplexity, ReferenceUnusable."""
        ...


class ReferenceModel(Protocol):
    """A model that returns log-probabilities. identity: all that determines an answer, except the text."""

    @property
    def identity(self) -> tuple[str, ...]: ...

    def logprobs(self, text: str) -> Logprobs:
        """Natural log-probability of each token, None for a first token. Raises as `perplexity_of`."""
        ...


@dataclass(frozen=True)
class Wanted:
    """What a kind is opened with. where: what follows "KIND:". form: see `scores.perplexity`."""

    where: str
    model: str = ""
    api_key: str = ""
    form: Form = "mean"


# An entry: `arena/tracks/exposure/perplexity/<name>.py` with such a PLUGIN.
Kind = Callable[[Wanted, ResultCache], Perplexities]


@dataclass(frozen=True)
class Measured:
    """Perplexities of a reference model; the log-probabilities are stored, so that either form follows."""

    label: str
    reference: ReferenceModel
    cache: ResultCache
    form: Form = "mean"

    def perplexity_of(self, text: str) -> float:
        # Without the form: both follow from the same log-probabilities.
        key = digest_of("exposure-logprobs", VERSION, *self.reference.identity, text)
        fact = self.cache.fact(key)
        if fact is not None:
            logprobs: Logprobs = tuple(json.loads(self.cache.blob(fact["logprobs"])))
        else:
            logprobs = self.reference.logprobs(text)
            remaining = self.cache.keep(json.dumps(logprobs).encode())
            self.cache.put_fact(key, {"logprobs": remaining})
        try:
            return perplexity(logprobs, self.form)
        except ValueError as error:
            raise NoPerplexity(f"{self.label}: {error}") from error


@dataclass(frozen=True)
class FoundText:
    """Perplexities by text; `missing` says why a text has none."""

    values: Mapping[str, float]
    missing: Mapping[str, str]


def open_perplexities(
    spec: str, cache: ResultCache, model: str = "", api_key: str = "", form: Form = "mean"
) -> Perplexities:
    """Open KIND:WHERE, such as "table:FILE", "local:MODEL", "echo:http://127.0.0.1:8000/v1".

    Raises ValueError, or UnknownName with the kinds that there are.
    """
    kind, sign, where = spec.partition(":")
    if not sign or not where:
        raise ValueError(f"perplexity: {spec[:80]!r} is no KIND:WHERE; kinds: {', '.join(kinds())}")
    if form not in FORMS:
        raise ValueError(f"perplexity: form {form!r} is none of {', '.join(FORMS)}")
    if kind not in kinds():
        raise UnknownName(f"perplexity: unknown kind {kind!r}; known: {', '.join(kinds())}")
    make: Kind = lookup(PACKAGE, kind)
    return make(Wanted(where, model, api_key, form), cache)


def kinds() -> list[str]:
    return names(PACKAGE)


def measure_texts(
    texts: Iterable[str],
    source: Perplexities,
    jobs: int = 4,
    done: Callable[[str], None] = lambda text: None,
) -> FoundText:
    """Perplexities of all different texts, `jobs` at a time; `done` is called for each in this thread.

    A text without a perplexity is listed in `missing`. Raises ReferenceUnusable; earlier answers stay stored.
    """

    def one(text: str) -> float | str:
        try:
            return source.perplexity_of(text)
        except NoPerplexity as error:
            return str(error)

    # Models are often compared on the same wordings.
    different = list(dict.fromkeys(texts))
    outcomes = each(different, one, jobs, lambda text, _: done(text))
    pairs = list(zip(different, outcomes, strict=True))
    return FoundText(
        {text: value for text, value in pairs if isinstance(value, float)},
        {text: why for text, why in pairs if isinstance(why, str)},
    )
