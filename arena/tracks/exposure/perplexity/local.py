"""A causal language model on this machine, by the extra `perplexity`."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from arena.tracks.exposure.perplexity._source import (
    Logprobs,
    Measured,
    NoPerplexity,
    ReferenceUnusable,
    Wanted,
)
from harness.extras import need
from harness.grade.ports import ResultCache

MAX_TOKENS = 8_192


class TokenRow(Protocol):
    """Logits of a position over all tokens: a tensor with a single dimension."""

    def __getitem__(self, token: int) -> Any: ...

    def logsumexp(self, dim: int) -> Any: ...


class Runner(Protocol):
    """ids: a text's tokens. rows: logits at each of these, which speak of the token after it."""

    def ids(self, text: str) -> Sequence[int]: ...

    def rows(self, ids: Sequence[int]) -> Sequence[TokenRow]: ...


@dataclass(frozen=True)
class Local:
    """model: a folder, or a name that transformers knows."""

    model: str
    runner: Runner
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def identity(self) -> tuple[str, ...]:
        return "local", self.model

    def logprobs(self, text: str) -> Logprobs:
        with self.lock:  # one model, whose memory serves one text at a time
            ids = list(self.runner.ids(text))
            if len(ids) > MAX_TOKENS:
                raise NoPerplexity(
                    f"{self.model}: {len(ids)} tokens; at most {MAX_TOKENS} are read"
                )
            if not ids:
                raise NoPerplexity(f"{self.model}: a text without tokens")
            return logprobs_of(ids, self.runner.rows(ids))


def logprobs_of(ids: Sequence[int], rows: Sequence[TokenRow]) -> Logprobs:
    """Log-softmax of each row at the token that follows. The first token has nothing before it: None."""
    if len(rows) != len(ids):
        raise ReferenceUnusable(f"local: {len(rows)} rows of logits for {len(ids)} tokens")
    logprobs = (
        # Rounding could carry a chance a little above 1.
        min(0.0, float(row[token]) - float(row.logsumexp(0)))
        for row, token in zip(rows[:-1], ids[1:], strict=True)
    )
    return (None, *logprobs)


class Transformers:
    """The model and its tokenizer. Raises MissingExtra, and ReferenceUnusable where they cannot be loaded."""

    def __init__(self, model: str) -> None:
        need("perplexity")
        self._torch, library = (importlib.import_module(name) for name in ("torch", "transformers"))
        try:
            self._tokenizer = library.AutoTokenizer.from_pretrained(model)
            self._model = library.AutoModelForCausalLM.from_pretrained(model).eval()
        except (OSError, ValueError, ImportError) as error:
            message = " ".join(str(error).split())[:200]
            raise ReferenceUnusable(f"local: {model}: {message}") from error

    def ids(self, text: str) -> Sequence[int]:
        return [int(item) for item in self._tokenizer(text)["input_ids"]]

    def rows(self, ids: Sequence[int]) -> Sequence[TokenRow]:
        with self._torch.no_grad():
            logits = self._model(self._torch.tensor([list(ids)])).logits
        # Half precision would lose digits in the sum of all tokens' powers.
        return list(logits[0].float())


def PLUGIN(wanted: Wanted, cache: ResultCache) -> Measured:
    reference = Local(wanted.where, Transformers(wanted.where))
    return Measured(f"{wanted.where} (local)", reference, cache, wanted.form)
