"""Tables, a model on this machine, and how a source is named."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.perplexity._source import (
    Measured,
    NoPerplexity,
    ReferenceUnusable,
    kinds,
    open_perplexities,
)
from arena.tracks.exposure.perplexity._spelling import (
    Misspelled,
    all_but_first,
    spelling_span,
    within,
)
from arena.tracks.exposure.perplexity.local import MAX_TOKENS, Local, logprobs_of
from arena.tracks.exposure.perplexity.table import PerplexityTable, digest, load_table
from harness.extras import MissingExtra
from harness.grade.ports import MemoryCache
from parsers.registry import UnknownName

TEXT = 'Ping a host,\nnamed "x".'


def written(folder: Path, content: Any) -> Path:
    path = folder / "ppl"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


# tables


def test_a_json_table_by_text_and_by_digest(tmp_path: Path) -> None:
    listed = {TEXT: 12.5, digest("caf\u00e9").upper(): 30}
    found = load_table(written(tmp_path, {"model": "ref", "perplexity": listed}))
    assert found.label == "ref (table ppl)"
    assert (found.perplexity_of(TEXT), found.perplexity_of("caf\u00e9")) == (12.5, 30)
    with pytest.raises(NoPerplexity, match="lacks the text 'other'"):
        found.perplexity_of("other")


def test_a_csv_table(tmp_path: Path) -> None:
    quoted = '"Ping a host,\nnamed ""x""."'
    found = load_table(written(tmp_path, f"model,text,perplexity\nref,{quoted},12.5\n"))
    assert (found.label, found.perplexity_of(TEXT)) == ("ref (table ppl)", 12.5)
    by_digest = load_table(written(tmp_path, f"\ufeffsha256,perplexity\n{digest(TEXT)},7\n"))
    assert by_digest.perplexity_of(TEXT) == 7


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "empty"),
        ("{", "no JSON"),
        ({"perplexity": []}, "perplexity: "),
        ({"perplexity": {}}, "no perplexity"),
        ({"model": 5, "perplexity": {"a": 5}}, "model: "),
        ({"perplexity": {"a": 0.5}}, "below 1"),
        ({"perplexity": {"a": "5"}}, "a number is needed"),
        ({"perplexity": {"a": None}}, "a number is needed"),
        ('{"perplexity": {"a": NaN}}', "finite"),
        ({"perplexity": {"a": 5, digest("a"): 6}}, "there twice"),
        ("text;perplexity\na;5\n", "neither JSON nor a CSV"),
        ("text,perplexity\na\n", "line 2: cells are missing"),
        ("text,perplexity\na,high\n", "line 2: perplexity: 'high'"),
        ("text,perplexity\na,0\n", "line 2: perplexity: 0 is below 1"),
        ("text,perplexity\na,nan\n", "line 2: perplexity: a finite"),
        ("sha256,perplexity\nabc,5\n", "line 2: sha256"),
        ("model,text,perplexity\na,x,5\nb,y,5\n", "one reference model"),
        ('text,perplexity\n"a,5\n', "unexpected end"),
        ("text,perplexity\n" + "x" * 200_000 + ",5\n", "field larger"),
        (b"\xff\xfe", "no UTF-8"),
    ],
)
def test_a_wrong_table_is_one_line(tmp_path: Path, content: Any, told: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(ReferenceUnusable, match=told) as caught:
        load_table(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ReferenceUnusable, match="No such file"):
        open_perplexities(f"table:{tmp_path / 'none'}", MemoryCache())


# naming


def test_kinds_are_found_by_name(tmp_path: Path) -> None:
    assert kinds() == ["echo", "local", "prompt-logprobs", "prompt-logprobs-chat", "table"]
    path = written(tmp_path, {"perplexity": {"a": 5}})
    assert isinstance(open_perplexities(f"table:{path}", MemoryCache()), PerplexityTable)
    source = open_perplexities("echo:http://127.0.0.1:9/v1", MemoryCache(), "m")
    assert isinstance(source, Measured)


@pytest.mark.parametrize(
    ("spec", "model", "told"),
    [
        ("echo", "m", "no KIND:WHERE"),
        ("echo:", "m", "no KIND:WHERE"),
        ("echo:localhost:8000", "m", "no http:// address"),
        ("echo:http://127.0.0.1/v1", "", "model's name is needed"),
        ("guess:http://127.0.0.1/v1", "m", "known: echo, local"),
        ("_source:x", "m", "known: echo, local"),
        ("os.path:join:x", "m", "known: echo, local"),
    ],
)
def test_what_cannot_be_opened_is_told(spec: str, model: str, told: str) -> None:
    with pytest.raises((ValueError, UnknownName), match=told):
        open_perplexities(spec, MemoryCache(), model)


# a model on this machine


@dataclass
class Row:
    logits: list[float]

    def __getitem__(self, token: int) -> float:
        return self.logits[token]

    def logsumexp(self, dim: int) -> float:
        assert dim == 0
        return math.log(math.fsum(math.exp(one) for one in self.logits))


@dataclass
class Uniform:
    """All tokens alike, whatever came before: its perplexity is the number of tokens."""

    size: int
    calls: int = 0

    def ids(self, text: str) -> Sequence[int]:
        return [ord(c) % self.size for c in text]

    def rows(self, ids: Sequence[int]) -> Sequence[Row]:
        self.calls += 1
        return [Row([2.0] * self.size) for _ in ids]


def test_a_uniform_models_perplexity_is_its_vocabulary() -> None:
    runner = Uniform(50)
    source = Measured("u", Local("u", runner), MemoryCache())
    assert source.perplexity_of("some text") == pytest.approx(50)
    assert source.perplexity_of("some text") == pytest.approx(50)
    assert runner.calls == 1


def test_each_row_speaks_of_the_next_token() -> None:
    rows = [Row([0.0, math.log(3)]), Row([math.log(9), 0.0]), Row([0.0, 0.0])]
    told = logprobs_of([0, 1, 0], rows)
    assert told[0] is None
    assert told[1:] == pytest.approx((math.log(3 / 4), math.log(9 / 10)))
    with pytest.raises(ReferenceUnusable, match="3 rows of logits for 2 tokens"):
        logprobs_of([0, 1], rows)


@pytest.mark.parametrize("text", ["", "x" * (MAX_TOKENS + 1)])
def test_texts_that_no_model_reads(text: str) -> None:
    with pytest.raises(NoPerplexity):
        Local("u", Uniform(5)).logprobs(text)


def test_without_the_libraries_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"needs the extra `perplexity`: pip install"):
        open_perplexities("local:tiny", MemoryCache())


# spelling

pieces = st.lists(
    st.text(st.sampled_from("abc .,\n\u00e9\u4e2d"), min_size=1, max_size=4),
    min_size=1,
    max_size=12,
)


@given(pieces, st.sampled_from(["a", " of", "\n", "\u4e2d"]))
def test_exact_tokens_are_all_found(tokens: list[str], generated: str) -> None:
    text = "".join(tokens)
    assert spelling_span([*tokens, generated], text, 1) == (0, len(tokens))
    assert spelling_span(["<s>", *tokens, generated], text, 1) == (0, len(tokens) + 1)
    all_but_first(["", *tokens], text)
    all_but_first(["", *tokens[1:]], text)


@given(pieces, pieces)
def test_a_text_is_found_within_a_template(tokens: list[str], around: list[str]) -> None:
    text = "".join(tokens)
    marks = [f"<{n}>" for n, _ in enumerate(around)]
    if not any(c.isascii() and not c.isspace() for c in text):
        with pytest.raises(Misspelled):
            within([*marks, *tokens], text)
        return
    first, end = within([*marks, *tokens, *marks], text)
    spelled = "".join([*marks, *tokens, *marks][first:end])
    assert spelled in text
    kept = [c for c in text if c.isascii() and not c.isspace()]
    assert [c for c in spelled if c.isascii() and not c.isspace()] == kept


@given(st.lists(st.text(max_size=6), max_size=8), st.text(max_size=20), st.booleans())
def test_any_tokens_are_spelled_or_refused(tokens: list[str], text: str, chat: bool) -> None:
    try:
        first, end = within(tokens, text) if chat else spelling_span(tokens, text, 1)
    except Misspelled as error:
        assert str(error)
    else:
        assert 0 <= first <= end <= len(tokens)


def test_a_text_that_a_template_holds_twice_is_the_later_one() -> None:
    assert within(["ping", " me", "<user>", "ping", " me", "<end>"], "ping me") == (3, 5)
