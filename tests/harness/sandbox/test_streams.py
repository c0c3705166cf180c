"""Archives larger than memory should hold go in and out of a sandbox through files."""

from __future__ import annotations

import io
import tempfile

import pytest

from harness.command import Command
from harness.protocols import Sandbox
from harness.sandbox import archive

pytestmark = pytest.mark.each_sandbox

PLENTY = 1 << 20


def test_a_folder_is_taken_without_its_links_and_put_back(box: Sandbox) -> None:
    box.put({"deep/a": b"a" * 1000, "-b\n": b"b"}, "/src")
    made = box.exec(Command("ln -s /etc/passwd link; ln -s /etc folder; mkdir empty", "/src"))
    assert made.ok
    with tempfile.TemporaryFile() as taken:
        assert box.take("/src", taken, PLENTY)
        taken.seek(0)
        assert archive.unpack(taken.read()) == {"deep/a": b"a" * 1000, "-b\n": b"b"}
        taken.seek(0)
        box.put_tree(taken, "/tmp")
    shown = box.exec(
        Command("ls -d empty deep link folder; echo more >> deep/a && wc -c deep/a", "/tmp")
    )
    assert "deep\n" in shown.output.decode() and "empty\n" in shown.output.decode()
    assert b"1005 deep/a" in shown.output
    assert b"cannot access 'link'" in shown.output and b"cannot access 'folder'" in shown.output


def test_taking_stops_at_its_limit_and_tells(box: Sandbox) -> None:
    box.put({"a": b"a" * 300_000}, "/src")
    taken = io.BytesIO()
    assert not box.take("/src", taken, 100_000)
    assert len(taken.getvalue()) <= 100_000
    assert not box.take("/src/missing", io.BytesIO(), PLENTY)
    assert box.exec(Command("echo usable", "/src")).output == b"usable\n"
