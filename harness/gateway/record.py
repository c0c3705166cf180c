"""Requests and answers of an attempt: a compressed file, each piece of a body stored once.

The file is gzip (`zcat` shows it) and contains a JSON value per line:

    {"record": 1}                                   the first line: version of this form
    {"p": PIECE}                                    a piece of a body; pieces are numbered from 0
    {"ask": N, "wire": NAME, "at": T, "body": B}    call N, sent at T (seconds since the epoch)
    {"answer": N, "body": B, "status": S, "error": E, "tokens": [...], "usd": U, "seconds": D}

`_packing.py` defines B and PIECE. A conversation repeats its whole history at each call: every message
is a piece, and so is every long string in it, so that a call costs its new messages and a list of numbers.
`tokens` are the numbers of `neutral.Tokens`, or null. A body that is no JSON is `{"base64": ...}`.

The writer flushes after each request and answer, so that a process that is killed loses no more than
the call in progress; the reader accepts such a file and reports in `Recorded.torn` where it ends.
Only bodies are stored, never headers, and keys are masked in them (`redact.py`).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from harness.gateway._packing import BadPiece, Body, Packer, Unpacker, compact
from harness.gateway.dialects import Call
from harness.gateway.neutral import Tokens
from harness.gateway.redact import MASK, keys
from tasks.loader import TaskError

VERSION = 1
# zlib's window bits for gzip's header and trailer.
GZIP = 31
CHUNK_BYTES = 1 << 16
_NUMBER = re.compile(r"[0-9.eE+-]+")


class RecordError(TaskError):
    """The file is not a record of an attempt; the message is a line that names the file."""


# Counts of tokens that the first records had.
OLDEST_COUNTS = 5


@dataclass(frozen=True)
class RecordBounds:
    """Limits of a record: characters in total and in a body, JSON values, calls."""

    plain: int = 256 << 20
    body: int = 64 << 20
    values: int = 16_000_000
    calls: int = 20_000


@dataclass(frozen=True)
class RecordedCall:
    """A call. `answered`: whether an answer was recorded; `answer`: its body if any, bytes if not JSON."""

    number: int
    wire: str
    request: dict[str, Any]
    answer: dict[str, Any] | bytes | None = None
    status: int = 0
    error: str = ""
    tokens: Tokens | None = None
    usd: float = 0.0
    seconds: float = 0.0
    at: float = 0.0
    answered: bool = False


@dataclass(frozen=True)
class Recorded:
    """The calls of an attempt by number. `torn` says where an unclosed file ends, else ""."""

    calls: tuple[RecordedCall, ...]
    torn: str = ""


class RecordWriter:
    """Writes the record of an attempt to `path`, replacing a file that is there.

    secrets: texts that must not be stored; default: the keys in the environment. Implements `Recorder`;
    may be used by several threads. Raises OSError.
    """

    def __init__(self, path: Path, secrets: Iterable[str] | None = None) -> None:
        self._mask = _masker(keys() if secrets is None else secrets)
        self._lock = threading.Lock()
        self._file: IO[bytes] = path.open("wb")
        self._zip = zlib.compressobj(6, zlib.DEFLATED, GZIP)
        self._packer = Packer(lambda text: self._line(f'{{"p":{text}}}'))
        self._line(compact({"record": VERSION}))
        self._flush()

    def record_request(self, call: Call) -> None:
        """Keep what a call asks."""
        with self._lock:
            body = self._packer.body(call.body)
            line = {"ask": call.number, "wire": call.dialect.name, "at": round(time.time(), 3)}
            self._line(compact({**line, "body": body}))
            self._flush()

    def record_answer(
        self,
        call: Call,
        answer_body: Body | bytes | None,
        status: int,
        error: str = "",
        tokens: Tokens | None = None,
        usd: float = 0.0,
        seconds: float = 0.0,
    ) -> None:
        """Record an answer: the whole body (also of a stream), or why there is none."""
        with self._lock:
            line: dict[str, Any] = {"answer": call.number, "body": self._answer(answer_body)}
            line |= {"status": status, "error": error, "usd": usd, "seconds": round(seconds, 6)}
            line["tokens"] = None if tokens is None else list(tokens.numbers)
            self._line(compact(line))
            self._flush()

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        with self._lock:
            if not self._file.closed:
                self._file.write(self._zip.flush(zlib.Z_FINISH))
                self._file.close()

    def _answer(self, body: Body | bytes | None) -> Any:
        if body is None:
            return None
        if isinstance(body, bytes):
            return {"base64": base64.b64encode(body).decode()}
        return self._packer.body(body)

    def _line(self, text: str) -> None:
        self._file.write(self._zip.compress(self._mask(text).encode() + b"\n"))

    def _flush(self) -> None:
        # To a byte boundary: without it a killed process leaves an undecodable end of many calls.
        self._file.write(self._zip.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()


def read_record(path: Path, bounds: RecordBounds | None = None) -> Recorded:
    """The record that a `RecordWriter` left. Raises RecordError, also where it is larger than allowed."""
    reader = _RecordReader(bounds or RecordBounds())
    torn = ""
    try:
        with path.open("rb") as file:
            lines = _Lines(file, reader.bounds)
            for line in lines:
                reader.line(line)
            torn = lines.torn
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror or error}") from error
    # A record may come from elsewhere; a line of brackets ends Python's reader with a RecursionError.
    except (BadPiece, zlib.error, ValueError, RecursionError) as error:
        raise RecordError(f"{path}: no record of an attempt: {_brief(error)}") from error
    if not reader.version:
        raise RecordError(f"{path}: no record of an attempt: it is empty")
    calls = tuple(sorted(reader.calls, key=lambda call: call.number))
    return Recorded(calls, f"{path.name}: {torn} after {len(calls)} calls" if torn else "")


class _Lines:
    """The lines of a record, unpacked piece by piece; raises BadPiece beyond the limits."""

    def __init__(self, file: IO[bytes], bounds: RecordBounds) -> None:
        self._file, self._bounds = file, bounds
        self.torn = ""

    def __iter__(self) -> Iterator[bytes]:
        parts: list[bytes] = []
        for chunk in self._chunks():
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                yield b"".join([*parts, end])
                parts = []
            parts.append(rest)
        if any(parts) and not self.torn:
            self.torn = "ends within a line"

    def _chunks(self) -> Iterator[bytes]:
        unzip = zlib.decompressobj(GZIP)
        plain = 0
        while not unzip.eof:
            # Unpacked CHUNK_BYTES by CHUNK_BYTES, since a record comes from elsewhere: gzip can blow up a
            # thousandfold.
            packed = unzip.unconsumed_tail or self._file.read(CHUNK_BYTES)
            if not packed:
                self.torn = "not closed: it ends"
                return
            chunk = unzip.decompress(packed, CHUNK_BYTES)
            plain += len(chunk)
            if plain > self._bounds.plain:
                raise BadPiece(f"more than {self._bounds.plain} characters")
            yield chunk


class _RecordReader:
    """Converts lines to calls."""

    def __init__(self, bounds: RecordBounds) -> None:
        self.bounds = bounds
        self.version = 0
        self.calls: list[RecordedCall] = []
        self._values = 0
        self._open: dict[int, int] = {}
        self._unpacker = Unpacker(bounds.body)

    def line(self, line: bytes) -> None:
        """Raises BadPiece, ValueError, RecursionError."""
        # Counted before it is parsed: a value in memory takes many times what its text takes.
        self._values += line.count(b",") + line.count(b"[") + line.count(b"{")
        if self._values > self.bounds.values:
            raise BadPiece(f"more than {self.bounds.values} values")
        entry = json.loads(line)
        if not isinstance(entry, dict):
            raise BadPiece("a line is no object")
        if not self.version:
            self._start(entry)
        elif "p" in entry:
            self._unpacker.piece(entry["p"], len(line))
        elif "ask" in entry:
            self._ask(entry)
        elif "answer" in entry:
            self._answer(entry)
        else:
            raise BadPiece("a line of an unknown kind")

    def _start(self, entry: dict[str, Any]) -> None:
        if entry.get("record") != VERSION:
            raise BadPiece(f"its first line is not that of version {VERSION}")
        self.version = VERSION

    def _ask(self, entry: dict[str, Any]) -> None:
        if len(self.calls) >= self.bounds.calls:
            raise BadPiece(f"more than {self.bounds.calls} calls")
        call = RecordedCall(
            number=_typed_field(entry, "ask", int),
            wire=_typed_field(entry, "wire", str),
            request=self._unpacker.body(entry.get("body")),
            at=_real(entry, "at"),
        )
        self._open[call.number] = len(self.calls)
        self.calls.append(call)

    def _answer(self, entry: dict[str, Any]) -> None:
        # Taken out: a second answer to the same call would replace the first without notice.
        place = self._open.pop(_typed_field(entry, "answer", int), None)
        if place is None:
            raise BadPiece(f"an answer to call {entry['answer']}, which was not asked")
        recorded_call = self.calls[place]
        self.calls[place] = RecordedCall(
            number=recorded_call.number,
            wire=recorded_call.wire,
            request=recorded_call.request,
            answer=self._body(entry.get("body")),
            status=_typed_field(entry, "status", int),
            error=_typed_field(entry, "error", str),
            tokens=_tokens(entry.get("tokens")),
            usd=_real(entry, "usd"),
            seconds=_real(entry, "seconds"),
            at=recorded_call.at,
            answered=True,
        )

    def _body(self, packed: Any) -> dict[str, Any] | bytes | None:
        if packed is None:
            return None
        if isinstance(packed, dict) and isinstance(packed.get("base64"), str):
            try:
                return base64.b64decode(packed["base64"], validate=True)
            except binascii.Error as error:
                raise BadPiece("bytes of an answer are no base64") from error
        return self._unpacker.body(packed)


def _typed_field(entry: dict[str, Any], key: str, kind: type) -> Any:
    value = entry.get(key)
    # In Python a bool is an int, and `true` must not pass for a number.
    if not isinstance(value, kind) or isinstance(value, bool):
        raise BadPiece(f"{key} is no {kind.__name__}")
    return value


def _real(entry: dict[str, Any], key: str) -> float:
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadPiece(f"{key} is no number")
    return float(value)


def _tokens(packed: Any) -> Tokens | None:
    if packed is None:
        return None
    whole = isinstance(packed, list) and OLDEST_COUNTS <= len(packed) <= len(Tokens().numbers)
    if not whole or any(isinstance(n, bool) or not isinstance(n, int) for n in packed):
        raise BadPiece("tokens are no numbers")
    return Tokens(*packed)


def _masker(secrets: Iterable[str]) -> Callable[[str], str]:
    """A function that masks secrets in JSON text and leaves it JSON."""
    # As they stand in JSON text: a key with a quote or a backslash is escaped there.
    forms = {json.dumps(secret)[1:-1]: secret for secret in secrets}
    if not forms:
        return lambda text: text
    pattern = re.compile("|".join(re.escape(form) for form in forms))

    def mask_match(match: re.Match[str]) -> str:
        # Digits may stand outside of a string, where only digits keep the line JSON.
        return "1" * len(match[0]) if _NUMBER.fullmatch(match[0]) else MASK

    return lambda text: pattern.sub(mask_match, text)


def _brief(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    shown = "".join(c if c.isprintable() else "?" for c in str(error))
    return shown[:200]
