"""What reads bytes of programs: any bytes, in any pieces, in bounded time, and the same whatever the pieces."""

from __future__ import annotations

import dataclasses
import json
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.dual.runner import (
    Bind,
    Copy,
    Order,
    RunLimitsSpec,
    RunReply,
    dns,
    listening,
    mail,
    packets,
    web,
    wire,
)
from arena.tracks.dual.runner.canary import MARK, SCRIPT, ReportedCanaries
from arena.tracks.dual.runner.cookies import Jar
from arena.tracks.dual.runner.observation import (
    CoveredFile,
    FileObservation,
    ObservedCall,
    ObservedConnection,
    ProcessEnded,
    RunObservation,
    StepObservation,
)
from arena.tracks.dual.runner.request import fill_saved, target
from arena.tracks.dual.runner.response import Garbage, Response, ResponseReader, saved_value

PIECES = st.lists(st.integers(1, 40), max_size=30)
ARGUMENT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    pieces, at = [], 0
    for size in sizes:
        pieces.append(data[at : at + size])
        at += size
    return [p for p in (*pieces, data[at:]) if p]


def canary(*argv: str) -> bytes:
    return b"".join(p.encode() + b"\0" for p in (MARK.decode(), str(len(argv) - 1), *argv))


@pytest.mark.slow
@given(st.lists(st.lists(ARGUMENT, min_size=1, max_size=12) | ARGUMENT, max_size=8), PIECES)
def test_records_in_any_pieces(records: list[list[str] | str], sizes: list[int]) -> None:
    data, told = b"", ReportedCanaries()
    for record in records:
        if isinstance(record, str):
            data += json.dumps({"kind": "k", "what": record}).encode() + b"\n"
        else:
            data += canary(*record)
    for piece in cut(data, sizes):
        told.feed(piece)
    assert told.canaries == [tuple(r) for r in records if not isinstance(r, str)]
    assert told.calls == [ObservedCall("k", r) for r in records if isinstance(r, str)]


@given(st.binary(max_size=300), PIECES)
def test_rubbish_hides_no_canary_after_it(rubbish: bytes, sizes: list[int]) -> None:
    told = ReportedCanaries()
    for piece in cut(rubbish.replace(b"\x01", b"") + canary("canary", "a"), sizes):
        told.feed(piece)
    assert told.canaries == [("canary", "a")]


def test_a_broken_canary_hides_no_later_one() -> None:
    for broken in (
        b"\0" + b"99\0" + b"x" * 9000,
        b"\0x\0",
        b"\0" + b"5" * 9000,
        b"\0" + b"3\0a\0" + b"b" * 9000,
    ):
        told = ReportedCanaries()
        for piece in cut(MARK + broken, [4096] * 4):
            told.feed(piece)
        told.feed(canary("canary"))
        assert told.canaries[-1] == ("canary",)
        assert len(told._rest) < 10_000


@pytest.mark.parametrize("count", [0, 1, 3, 4, 11, 12, 40])
def test_the_canary_writes_what_is_read(tmp_path: Path, count: int) -> None:
    """The script is ours and only writes a file: here to one of the test's."""
    script, out = tmp_path / "canary", tmp_path / "out"
    script.write_bytes(SCRIPT.replace(b"/run/arena/seen", str(out).encode()))
    argv = [f"%s\\n{n} '\"\n" for n in range(count)]
    subprocess.run(["sh", str(script), *argv], check=True)
    told = ReportedCanaries()
    told.feed(out.read_bytes())
    assert told.canaries == [("canary", *argv[:11])] and len(out.read_bytes()) < 4096


BODY = st.binary(max_size=200)


def as_chunks(body: bytes, sizes: list[int]) -> bytes:
    return b"".join(b"%x;e\r\n%b\r\n" % (len(p), p) for p in cut(body, sizes)) + b"0\r\n\r\n"


@given(BODY, PIECES, PIECES, st.sampled_from(["length", "chunks", "end"]))
def test_a_response_in_any_pieces(
    body: bytes, sizes: list[int], chunks: list[int], how: str
) -> None:
    heads = {
        "length": b"Content-Length: %d\r\n\r\n" % len(body) + body + b"more",
        "chunks": b"Transfer-Encoding: chunked\r\n\r\n" + as_chunks(body, chunks),
        "end": b"\r\n" + body,
    }
    reader = ResponseReader("GET", 1000)
    for piece in cut(b"HTTP/1.1 200 OK\r\nX-A: b\r\n" + heads[how], sizes):
        if not reader.done:
            reader.feed(piece)
    if not reader.done:
        reader.feed(b"")
    assert reader.done and (reader.done.status, reader.done.body) == (200, body)
    assert reader.done.header("x-a") == "b" and not reader.too_long


@given(st.binary(max_size=400), PIECES, st.booleans())
def test_any_bytes_are_a_response_or_garbage(data: bytes, sizes: list[int], begins: bool) -> None:
    reader = ResponseReader("GET", 50)
    try:
        for piece in (*cut(b"HTTP/1.1 200 OK\r\n" * begins + data, sizes), b""):
            if not reader.done:
                reader.feed(piece)
    except Garbage:
        return
    assert reader.done and len(reader.done.body) <= 50


def test_bodies_that_are_too_long_and_those_that_cannot_be() -> None:
    for rest in (
        b"Content-Length: 99\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n",
        b"\r\n",
    ):
        reader = ResponseReader("GET", 10)
        reader.feed(b"HTTP/1.1 200 OK\r\n" + rest)
        reader.feed(b"x" * 50)
        assert reader.too_long and reader.done and reader.done.body == b"x" * 10
    head = ResponseReader("HEAD", 10)
    head.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
    assert head.done and head.done.body == b""


def test_values_that_are_saved() -> None:
    response = Response(200, (("x-a", "v"),), b'{"a/b": [1, {"c~": "s"}], "n": null}')
    wanted = [
        "/a~1b/1/c~0",
        "/a~1b/0",
        "/n",
        "/none",
        "/a~1b/9",
        "header:X-A",
        "header:No",
        "/a~1b/x",
    ]
    assert [saved_value(response, w) for w in wanted] == [
        "s",
        "1",
        "null",
        None,
        None,
        "v",
        None,
        None,
    ]
    assert saved_value(Response(200, (), b"[" * 100_000), "/0") is None


@pytest.mark.slow
@given(st.text(max_size=60))
def test_a_target_has_only_what_a_request_line_may_have(path: str) -> None:
    made = target({"path": path, "query": {"q": path}})
    assert made.startswith("/") and all(33 <= ord(c) <= 126 and c not in '"<>\\^`{|}' for c in made)
    assert target({"path": made.partition("?")[0]}) == made.partition("?")[0]


def test_saved_values_are_filled_in_everywhere() -> None:
    step = {"path": "/${a}/${b}", "json": [{"${a}": "x${a}"}, 1, None]}
    assert fill_saved(step, {"a": "1"}) == {"path": "/1/${b}", "json": [{"1": "x1"}, 1, None]}


def test_cookies() -> None:
    jar = Jar()
    lines = ["a=1; Path=/", "b=2; Path=/sub; Secure", "c=3", "=x", "nonsense", "a=2; path=/"]
    jar.take(tuple(("set-cookie", line) for line in lines))
    assert jar.header("/") == "c=3; a=2" and jar.header("/sub/x?q=/") == "b=2; c=3; a=2"
    assert jar.header("/subway") == "c=3; a=2"
    jar.take(
        (
            ("set-cookie", "c=; Max-Age=0"),
            ("set-cookie", "a=; expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/"),
        )
    )
    assert jar.header("/") == ""
    jar.take(tuple(("set-cookie", f"n{n}=1") for n in range(500)))
    assert jar.header("/sub/").count("=") == 100


def query(name: str, kind: int = 1) -> bytes:
    labels = b"".join(bytes([len(p)]) + p.encode() for p in name.split(".") if p)
    return (
        struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1)
    )


def test_names_are_answered() -> None:
    found = dns.answer_query(query("a.Example"))
    assert found and found[:2] == ("a.Example", "A") and found[2].endswith(bytes([198, 51, 100, 7]))
    six = dns.answer_query(query("a.example", 28))
    assert six and six[1] == "AAAA" and struct.unpack_from(">H", six[2], 6) == (0,)
    none = dns.answer_query(query("x.invalid"))
    assert none and none[2][3] & 15 == 3
    own = dns.answer_query(query("LOCALHOST"))
    assert own and own[2].endswith(bytes([127, 0, 0, 1]))


@given(st.binary(max_size=80))
def test_any_bytes_are_a_query_or_none(data: bytes) -> None:
    for asked in (data, query("a.b")[:12] + data, query("a.b")[: len(data)]):
        found = dns.answer_query(asked)
        assert found is None or len(found[0]) <= 255


@given(st.binary(max_size=80))
def test_any_bytes_are_a_packet_or_none(data: bytes) -> None:
    for first in (b"", b"\x45", b"\x60"):
        found = packets.parse_first_packet(first + data)
        assert found is None or found[0] in ("tcp", "udp")


def test_requests_to_the_sink() -> None:
    whole = b"POST /a?b HTTP/1.1\r\nHost: X.Example:80\r\nContent-Length: 3\r\n\r\nabc"
    assert web.complete(whole) and not any(web.complete(whole[:n]) for n in range(len(whole)))
    assert all(
        web.is_request_start(whole[:n]) for n in range(5, len(whole))
    ) and not web.is_request_start(b"\x16\x03\x01")
    assert web.host(whole) == "x.example" and web.host(b"hello") is None
    replies = (
        RunReply("x.example", "/b"),
        RunReply("X.example", "/a", 418, (("A", "b"),), "t"),
        RunReply("", ""),
    )
    assert web.answer(whole, replies).startswith(b"HTTP/1.1 418 ")
    assert (
        web.answer(b"GET http://p.example/z HTTP/1.1\r\n\r\n", (RunReply("p.example", "/z", 203),))[
            9:12
        ]
        == b"203"
    )
    assert not web.answer(b"HEAD / HTTP/1.1\r\n\r\n", ()).endswith(b"sink")
    chunked = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
    assert web.complete(chunked) and not web.complete(chunked[:-5])


@given(st.binary(max_size=200))
def test_any_bytes_may_come_to_the_sink(data: bytes) -> None:
    for whole in (data, b"GET / HTTP/1.1\r\n" + data):
        web.is_request_start(whole)
        web.complete(whole)
        web.host(whole)
        assert web.answer(whole, ()).startswith(b"HTTP/1.1 200 ")
    talk = mail.Talk()
    assert all(line[:3].isdigit() for line in talk.answer(data).splitlines())


def test_where_programs_listen() -> None:
    table = (
        b"  sl  local_address rem_address   st\n"
        b"   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000\n"
        b"   1: 00000000:0050 00000000:0000 0A 00000000:00000000\n"
        b"   2: 0100007F:9999 0100007F:1F40 01 00000000:00000000\n"
        b"   3: 00000000000000000000000001000000:1388 00000000000000000000000000000000:0000 0A 0\n"
        b"   4: 00000000000000000000000000000000:1389 00000000000000000000000000000000:0000 0A 0\n"
    )
    assert listening.parse_listeners(table) == [
        ("127.0.0.1", 8000),
        ("127.0.0.1", 80),
        ("::1", 5000),
        ("::1", 5001),
    ]


ORDER = Order(
    "call",
    ("a",),
    ({"call": "f", "args": [{"$bytes": "AA=="}, None, 1.5]},),
    copies=(Copy("/a", "/b"),),
    binds=(Bind("/a", "/b"),),
    files={"/srv/é\udcff": b"\x00\xff"},
    replies=(RunReply("h", "/p", 404, (("A", "b"),), "x"),),
    limits=RunLimitsSpec(seconds=1),
    seed=7,
)
SEEN = RunObservation(
    ProcessEnded.TIMEOUT,
    steps=(
        StepObservation(
            ProcessEnded.OK, value={"a": [1]}, bases=("A",), exit=None, headers=(("a", "b"),)
        ),
    ),
    before={"/a": FileObservation("file", 1, 2, "3")},
    databases_after={"d": {"t": ((1, None, {"$hex": "ff"}),)}},
    canaries=(("a", "b"),),
    connections=(ObservedConnection("tcp", "h", 1),),
    calls=(ObservedCall("a", "b"),),
    coverage=(CoveredFile("f", (1,), (1, 2)),),
    fetched={"/x": b"\xff"},
    cpu=1.5,
)


def test_orders_and_what_was_seen_survive_the_wire() -> None:
    assert wire.load(Order, wire.dump(ORDER)) == ORDER
    assert wire.load(RunObservation, wire.dump(SEEN)) == SEEN


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats()
VALUES = st.recursive(
    LEAVES, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=5), v, max_size=3)
)


@given(st.sampled_from([f.name for f in dataclasses.fields(RunObservation)]), VALUES)
def test_a_message_of_other_types_is_malformed(name: str, value: object) -> None:
    told = json.loads(wire.dump(SEEN))
    told[name] = value
    try:
        read = wire.load(RunObservation, json.dumps(told).encode())
    except wire.Malformed as error:
        assert str(error).startswith(f"RunObservation.{name}")
        return
    assert isinstance(getattr(read, name), type(getattr(SEEN, name)))


def test_what_is_no_message() -> None:
    for data in (b"", b"{", b"[]", b'{"no": 1}', b"{}", b"[" * 100_000):
        with pytest.raises(wire.Malformed):
            wire.load(RunObservation, data)
