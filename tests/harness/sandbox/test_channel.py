"""One shell of a sandbox runs all of its commands, and none of them reaches the next one through it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, strategies

from harness.command import Command
from harness.sandbox import channel
from harness.sandbox.base import Backend
from harness.sandbox.channel import ChannelClosed, CommandChannel
from tests.harness.sandbox.test_machine_faults import started


class Engine:
    """One whose shell writes `output` and `error`, in pieces of `size` bytes, and then its marks."""

    def __init__(self, output: bytes, error: bytes, size: int, ends_at: int | None = None) -> None:
        self.output, self.error, self.size, self.ends_at = output, error, size, ends_at
        self.script = b""

    def exec_create(self, *_: Any, **__: Any) -> dict[str, str]:
        return {"Id": "1"}

    def write(self, data: bytes) -> None:
        self.script += data

    def read(self) -> Iterator[tuple[bytes, bytes]]:
        mark = re.search(rb"[0-9a-f]{32}", self.script)
        assert mark
        written = self.output + mark[0]
        for at in range(0, len(written), self.size)[: self.ends_at]:
            yield written[at : at + self.size], b""
        reported = self.error + mark[0] + b" 7\n"
        for at in range(0, len(reported), self.size)[: self.ends_at]:
            yield b"", reported[at : at + self.size]

    def close(self) -> None:
        return None


def open_channel(engine: Engine) -> CommandChannel:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(channel, "ExecStreams", lambda *_: engine)
        return CommandChannel(engine, "box", "0", ["sh"])


@given(
    strategies.binary(max_size=200),
    strategies.binary(max_size=80),
    strategies.integers(min_value=1, max_value=90),
)
def test_streams_are_whole_however_they_are_cut(output: bytes, error: bytes, size: int) -> None:
    shell = open_channel(Engine(output, error, size))
    pieces = list(shell.run("script"))
    assert b"".join(out for out, _ in pieces) == output
    assert b"".join(err for _, err in pieces) == error
    assert shell.status == 7 and shell.is_open


@given(strategies.integers(min_value=0, max_value=5))
def test_a_shell_that_ends_early_is_closed(ends_at: int) -> None:
    shell = open_channel(Engine(b"output" * 9, b"", 7, ends_at))
    with pytest.raises(ChannelClosed):
        list(shell.run("script"))
    assert not shell.is_open


def test_what_may_begin_a_mark_is_held_back_and_nothing_else() -> None:
    stream = channel._UntilMark("abcdef")
    assert [stream.take(piece) for piece in (b"xxab", b"", b"cd", b"xabc", b"defrest")] == [
        *(b"xx", b"", b"", b"abcdx", b""),
    ]
    assert stream.ended and stream.after == b"rest"


def test_a_reader_that_had_enough_closes_the_shell() -> None:
    shell = open_channel(Engine(b"output" * 9, b"", 7))
    pieces = shell.run("script")
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert not shell.is_open


@pytest.mark.docker
def test_commands_share_a_shell_and_nothing_else(docker: Backend) -> None:
    with started(docker) as box:
        shell = box._channel
        line = "sleep 99 & cd /; x=1; export x; ulimit -n 9; cat; exit 3"
        assert box.exec(Command(line)).status == 3
        line = "pgrep -f 'sleep 9[9]'; echo $x; pwd; ulimit -n"
        *rest, open_files = box.exec(Command(line, "/tmp")).output.split()
        assert rest == [b"/tmp"] and open_files != b"9"
        assert box.exec(Command("env | grep A_B", env={"A_B": "c d"})).output == b"A_B=c d\n"
        assert box.exec(Command("true", "/not/there")).status == 126
        assert box._channel is shell
        assert box.exec(Command("kill -9 -1")).status == 137
        assert box.exec(Command("echo again")).output == b"again\n"
        assert box._channel is not shell


@pytest.mark.docker
def test_nobody_inside_limits_the_shell(docker: Backend) -> None:
    line = "read _ _ _ up _ < /proc/$PPID/stat; prlimit --pid $up --nofile=9:9; prlimit --nofile=9:9 true && echo own"
    with started(docker) as box:
        done = box.exec(Command(line))
        assert b"Operation not permitted" in done.output and b"own\n" in done.output
        assert box.exec(Command("ulimit -n")).output != b"9\n"


@pytest.mark.docker
def test_files_are_put_where_only_the_engine_may_write(docker: Backend) -> None:
    with started(docker) as box:
        box.put({"a/b": b"x" * 9}, "/opt")
        box.put({"a/b": b"y" * 9}, "/tmp")
        assert box.exec(Command("cat /opt/a/b /tmp/a/b")).output == b"x" * 9 + b"y" * 9
        assert box.exec(Command("stat -c %u /tmp/a/b")).output == b"1000\n"
