"""A record gives back what was written, stays small, survives a kill, and cannot be made to hurt."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway._packing import NOT_STORED, BadPiece, Packer, Unpacker
from harness.gateway.dialects import Call
from harness.gateway.neutral import Tokens
from harness.gateway.record import RecordBounds, RecordError, RecordWriter, read_record
from harness.gateway.redact import MASK
from parsers.registry import lookup

CHAT = lookup("harness.gateway.dialects", "chat")

texts = st.text(max_size=30) | st.sampled_from(["&", "of", "p", "\ud800", "\u2028", "x" * 300])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
bodies = st.dictionaries(texts, values, max_size=4)


def strict(value: Any) -> str:
    """Tells 1, 1.0 and True apart, and the order of keys."""
    return json.dumps(value)


def one(path: Path, body: dict[str, Any], answer: Any, secrets: tuple[str, ...] = ()) -> Any:
    writer = RecordWriter(path, secrets)
    call = Call(CHAT, body, 0)
    writer.record_request(call)
    writer.record_answer(call, answer, 200)
    writer.close()
    return read_record(path).calls[0]


def conversation(turns: int, each: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Calls whose history grows by `each` characters a turn, in words of a random language."""
    dice = random.Random(1)
    words = ["".join(dice.choices("abcdefghij_", k=dice.randint(2, 9))) for _ in range(2000)]

    def text(size: int) -> str:
        return " ".join(dice.choices(words, k=size // 6))

    tools = [
        {"type": "function", "function": {"name": f"t{i}", "description": text(300)}}
        for i in range(6)
    ]
    messages: list[dict[str, Any]] = [{"role": "system", "content": text(4000)}]
    made = []
    for n in range(turns):
        said = {
            "role": "assistant",
            "content": text(each // 4),
            "tool_calls": [{"id": f"call_{n}"}],
        }
        body = {"model": "m", "messages": list(messages), "tools": tools}
        made.append((body, {"id": f"a{n}", "choices": [{"index": 0, "message": said}]}))
        messages += [
            said,
            {"role": "tool", "tool_call_id": f"call_{n}", "content": text(3 * each // 4)},
        ]
    return made


@pytest.mark.slow
@given(st.lists(st.tuples(bodies, st.none() | bodies | st.binary(max_size=9)), max_size=4))
def test_bodies_come_back_equal(calls: list[tuple[dict[str, Any], Any]]) -> None:
    pieces: list[str] = []
    packer = Packer(pieces.append)
    packed = [
        (packer.body(asked), packer.body(answer) if isinstance(answer, dict) else None)
        for asked, answer in calls
    ]
    unpacker = Unpacker(1 << 20)
    for piece in pieces:
        unpacker.piece(json.loads(piece), len(piece))
    for (asked, answer), (first, second) in zip(calls, json.loads(json.dumps(packed)), strict=True):
        assert strict(unpacker.body(first)) == strict(asked)
        if isinstance(answer, dict):
            assert strict(unpacker.body(second)) == strict(answer)


@pytest.mark.slow
@given(bodies, st.none() | bodies | st.binary(max_size=20))
def test_a_file_holds_the_call_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, body: dict[str, Any], answer: Any
) -> None:
    call = one(tmp_path_factory.mktemp("r") / "record.gz", body, answer)
    assert strict(call.request) == strict(body)
    assert call.answer == answer
    assert call.answered


def test_all_that_is_told_of_a_call_is_kept(tmp_path: Path) -> None:
    writer = RecordWriter(tmp_path / "r.gz", ())
    calls = [Call(CHAT, {"n": n}, n) for n in range(3)]
    for call in calls:
        writer.record_request(call)
    writer.record_answer(calls[2], None, 502, "no answer: hangs up", None, 0.0, 1.5)
    writer.record_answer(calls[0], {"a": 1}, 200, "", Tokens(10, 5, 4, 3, 2), 0.25, 2.0)
    writer.close()
    first, open_, failed = read_record(tmp_path / "r.gz").calls
    assert (first.tokens, first.usd, first.seconds) == (Tokens(10, 5, 4, 3, 2), 0.25, 2.0)
    assert (first.wire, first.number, first.status) == ("chat", 0, 200)
    assert first.at > 1_600_000_000
    assert (open_.answered, open_.answer) == (False, None)
    assert (failed.status, failed.error, failed.tokens) == (502, "no answer: hangs up", None)


@pytest.mark.slow
def test_a_growing_history_takes_less_than_a_twentieth(tmp_path: Path) -> None:
    calls = conversation(turns=75, each=2700)
    path = tmp_path / "r.gz"
    writer = RecordWriter(path, ())
    for n, (body, answer) in enumerate(calls):
        writer.record_request(Call(CHAT, body, n))
        writer.record_answer(Call(CHAT, body, n), answer, 200)
    writer.close()
    raw = sum(len(json.dumps(body)) + len(json.dumps(answer)) for body, answer in calls)
    assert 150_000 < len(json.dumps(calls[-1][0])) < 250_000
    assert path.stat().st_size < 0.05 * raw
    assert [(c.request, c.answer) for c in read_record(path).calls] == calls


def test_a_history_is_kept_once(tmp_path: Path) -> None:
    calls = conversation(turns=20, each=1000)
    path = tmp_path / "r.gz"
    writer = RecordWriter(path, ())
    for n, (body, _) in enumerate(calls):
        writer.record_request(Call(CHAT, body, n))
    writer.close()
    plain = gzip.decompress(path.read_bytes())
    said = calls[0][0]["messages"][0]["content"].encode()
    assert plain.count(said) == 1


def test_a_killed_writer_loses_no_more_than_the_call_under_way(tmp_path: Path) -> None:
    path = tmp_path / "r.gz"
    writer = RecordWriter(path, ())
    calls = [Call(CHAT, {"messages": [f"{n} " * 50]}, n) for n in range(5)]
    for call in calls:
        writer.record_request(call)
        writer.record_answer(call, {"n": call.number}, 200)
    content = path.read_bytes()  # as it stands when the process is killed now
    (tmp_path / "killed.gz").write_bytes(content)
    killed = read_record(tmp_path / "killed.gz")
    assert [call.answer for call in killed.calls] == [{"n": n} for n in range(5)]
    assert killed.torn == "killed.gz: not closed: it ends after 5 calls"
    writer.close()
    assert read_record(path).torn == ""


def test_a_file_cut_anywhere_is_read_up_to_there(tmp_path: Path) -> None:
    whole = tmp_path / "r.gz"
    writer = RecordWriter(whole, ())
    for n in range(6):
        call = Call(CHAT, {"messages": [random.Random(n).randbytes(40).hex()]}, n)
        writer.record_request(call)
        writer.record_answer(call, {"n": n}, 200)
    writer.close()
    content = whole.read_bytes()
    answered = []
    for size in range(60, len(content), 7):
        cut = tmp_path / "cut.gz"
        cut.write_bytes(content[:size])
        found = read_record(cut)
        assert "cut.gz" in found.torn
        answered.append(sum(call.answered for call in found.calls))
    assert answered == sorted(answered)
    assert answered[-1] == 6


def test_keys_are_masked_and_the_rest_is_left(tmp_path: Path) -> None:
    secrets = ('sk-"quoted"-canary', "0123456789")
    body = {
        "messages": [{"content": f"a {secrets[0]} b"}],
        "n": 40123456789,
        "long": secrets[0] * 50,
    }
    call = one(tmp_path / "r.gz", body, {"said": secrets[0]}, secrets)
    plain = gzip.decompress((tmp_path / "r.gz").read_bytes()).decode()
    assert json.dumps(secrets[0])[1:-1] not in plain
    assert call.request["messages"] == [{"content": f"a {MASK} b"}]
    assert call.answer == {"said": MASK}
    assert call.request["n"] == 41111111111


def test_the_environments_keys_are_masked_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-canary-1234")
    writer = RecordWriter(tmp_path / "r.gz")
    writer.record_request(Call(CHAT, {"messages": ["sk-canary-1234"]}, 0))
    writer.close()
    assert b"canary" not in gzip.decompress((tmp_path / "r.gz").read_bytes())


@pytest.mark.slow
def test_what_is_nested_too_deeply_is_said_to_be_missing(tmp_path: Path) -> None:
    deep: Any = "end"
    for _ in range(100_000):
        deep = [deep]
    call = one(tmp_path / "r.gz", {"a": 1, "deep": {"x": deep}}, None)
    assert call.request == {"a": 1, "deep": NOT_STORED}


def lines(*entries: Any) -> bytes:
    head: list[Any] = [{"record": 1}]
    return gzip.compress(
        b"".join(json.dumps(e).encode() + b"\n" for e in head + list(entries)), mtime=0
    )


HALF = [{"p": "x" * 1000}] + [{"p": [{"&": n}, {"&": n}]} for n in range(40)]
ASK = {"ask": 0, "wire": "chat", "at": 1.0, "body": []}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty"),
        (b"not gzip at all", "incorrect header"),
        (gzip.compress(b'{"record": 2}\n', mtime=0), "version 1"),
        (gzip.compress(b"[]\n", mtime=0), "no object"),
        (gzip.compress(b"{\n", mtime=0), "Expecting"),
        (lines({"x": 1}), "unknown kind"),
        (lines({**ASK, "body": [["k", 7]]}), "piece 7, which is not there"),
        (lines({**ASK, "body": [["k", True]]}), "something else than a number"),
        (lines({**ASK, "body": {"k": 7}}), "no list of pairs"),
        (lines({**ASK, "ask": "0"}), "ask is no int"),
        (lines({**ASK, "at": "now"}), "at is no number"),
        (lines({"answer": 3}), "which was not asked"),
        (lines({"p": {"&": 5}}), "piece 5, which is not there"),
        (lines({"p": {"&": [1]}}), "no list of pairs"),
        (lines(*HALF), "a body has more than"),
        (
            lines(ASK, {"answer": 0, "body": None, "status": 1, "error": "", "tokens": [1]}),
            "tokens",
        ),
        (lines(ASK, {"answer": 0, "body": {"base64": "!"}, "status": 1, "error": ""}), "base64"),
        (gzip.compress(b"[" * 200_000 + b"\n", mtime=0), "nested too deeply"),
        (lines(*[ASK] * 101), "more than 100 calls"),
        (gzip.compress(b" " * 3_000_000, mtime=0), "more than 2000000 characters"),
        (lines({"p": [[]] * 130_000}), "more than 250000 values"),
    ],
)
def test_a_file_that_is_no_record_is_told_in_one_line(
    tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "bad.gz"
    path.write_bytes(content)
    with pytest.raises(RecordError) as caught:
        read_record(path, RecordBounds(plain=2_000_000, body=1_000_000, values=250_000, calls=100))
    message = str(caught.value)
    assert told in message
    assert str(path) in message
    assert "\n" not in message
    assert len(message) < 600


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"none\.gz: No such file"):
        read_record(tmp_path / "none.gz")


@pytest.mark.slow
@given(
    st.lists(values, max_size=3),
    st.lists(st.tuples(st.sampled_from(["p", "ask", "answer"]), values)),
)
def test_no_line_whatever_raises_anything_else(
    tmp_path_factory: pytest.TempPathFactory, odd: list[Any], entries: list[tuple[str, Any]]
) -> None:
    path = tmp_path_factory.mktemp("r") / "odd.gz"
    path.write_bytes(lines(*odd, *({**ASK, key: value, "body": value} for key, value in entries)))
    try:
        read_record(path)
    except RecordError as error:
        assert "\n" not in str(error)


def test_unpacking_refuses_numbers_of_pieces_to_come() -> None:
    with pytest.raises(BadPiece):
        Unpacker(100).piece([{"&": 0}], 5)
