"""PoCs in the form that a project keeps them in: as they are, or as a text of `uuencode`."""

from __future__ import annotations

import binascii
import subprocess
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.oss_fuzz.pocs import ProjectPocs, data_files_beside, decode_uuencoded
from tests.szz.conftest import Made, Maker, history  # noqa: F401 - a fixture

POC = bytes(range(256)) * 2


def encoded(content: bytes, end: bytes = b"`\nend\n", newline: bytes = b"\n") -> bytes:
    """As POSIX `uuencode` writes it: a line for 45 bytes, with its length ahead."""
    pieces = (content[at : at + 45] for at in range(0, len(content), 45))
    text = b"begin 644 x.rar\n" + b"".join(map(binascii.b2a_uu, pieces)) + end
    return text.replace(b"\n", newline)


@given(
    st.binary(min_size=1, max_size=400),
    st.sampled_from([b"`\nend\n", b" \nend\n", b"end\n", b"`\nend"]),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_what_was_encoded_is_decoded(content: bytes, end: bytes, newline: bytes) -> None:
    assert decode_uuencoded(b"# for a test\n" + encoded(content, end, newline)) == content


@given(st.binary(max_size=300))
def test_any_other_text_decodes_to_nothing_or_bytes(text: bytes) -> None:
    assert isinstance(decode_uuencoded(b"begin 644 x\n" + text + b"\nend\n"), bytes)
    assert decode_uuencoded(text.replace(b"begin", b"began")) == b""


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        b"begin 644 a\n" * 100_000,
        b"begin 644 a\n" + b"\n" * 5_000_000,
        b"begin 644 a\n" + b"M\n" * 2_000_000 + b"end\n",  # more than a file may have
    ],
)
def test_a_text_that_holds_nothing_takes_no_time(text: bytes) -> None:
    begun = time.process_time()
    assert decode_uuencoded(text) == b""
    assert time.process_time() - begun < 20


@pytest.mark.parametrize("end", [b"\n\nend\n", b"`\n#86)C\nend\n"])
def test_nothing_behind_the_last_line_is_decoded(end: bytes) -> None:
    assert decode_uuencoded(b"begin 100644 f\n#86)C\n" + end) == b"abc"


@pytest.mark.parametrize(
    ("name", "kept", "content"),
    [
        (b"test/a.rar.uu", encoded(POC), POC),
        (b"test/a.rar", encoded(POC), encoded(POC)),  # may be an input as it is
        (b"test/a.rar.uu", b"no such text", b"no such text"),
    ],
)
def test_a_file_beside_the_fix_is_a_candidate_decoded(
    history: Maker,  # noqa: F811
    name: bytes,
    kept: bytes,
    content: bytes,
) -> None:
    path, ids = history({b"f.c": b"1\n"}, {b"f.c": b"2\n", name: kept})
    assert [poc.content for poc in data_files_beside(path, [ids[1]])] == [content]


def test_a_test_case_that_is_kept_encoded_is_found_by_its_number(history: Maker) -> None:  # noqa: F811
    path, _ = history({b"f.c": b"1\n"}, {b"f.c": b"1\n", b"fuzz/case-10101.uu": encoded(POC)})
    found = ProjectPocs(path).find_by_number("", "10101")
    assert found and found.content == POC


@pytest.mark.parametrize(
    ("ref", "is_looked_at"),
    [
        ("refs/heads/next", True),
        ("refs/remotes/origin/next", True),
        ("refs/tags/v2", True),
        ("refs/pull/7/head", False),  # anybody's
    ],
)
def test_a_test_case_on_a_side_branch_is_found_by_its_number(
    history: Maker,  # noqa: F811
    ref: str,
    is_looked_at: bool,
) -> None:
    path, ids = history({b"f.c": b"1\n"}, {b"f.c": b"1\n", b"fuzz/case-10101": POC})
    git = ["git", "-C", str(path)]
    subprocess.run([*git, "update-ref", ref, ids[1]], check=True)
    subprocess.run([*git, "update-ref", "refs/heads/main", ids[0]], check=True)
    blob = subprocess.run([*git, "rev-parse", f"{ids[0]}:f.c"], capture_output=True, check=True)
    subprocess.run([*git, "update-ref", "refs/tags/key", blob.stdout.decode().strip()], check=True)
    found = ProjectPocs(path).find_by_number("", "10101")
    assert (found and found.content) == (POC if is_looked_at else None)


def test_what_head_ever_had_goes_before_a_side_branch(history: Maker) -> None:  # noqa: F811
    path, ids = history(
        {b"fuzz/case-10101": b"head"}, Made({b"fuzz/10101/poc": b"side"}, parents=[], day=20_000)
    )
    git = ["git", "-C", str(path), "update-ref"]
    subprocess.run([*git, "refs/heads/next", ids[1]], check=True)
    subprocess.run([*git, "refs/heads/main", ids[0]], check=True)
    found = ProjectPocs(path).find_by_number("", "10101")
    assert found and found.content == b"head"
