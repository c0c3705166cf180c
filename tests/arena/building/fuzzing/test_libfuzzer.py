"""What libFuzzer is told, what is read of it, and what a campaign keeps: none of it believes a sandbox."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.fuzzing import libfuzzer
from arena.building.fuzzing.corpus import StoredCorpus, crashes_in
from harness.sandbox import archive

FORK = b"""\
INFO: -fork=1: fuzzing in separate process(s)
#2: cov: 12 ft: 13 corp: 1 exec/s: 0 oom/timeout/crash: 0/0/0 time: 1s job: 1 dft_time: 0
#204: cov: 120 ft: 300 corp: 33 exec/s: 68 oom/timeout/crash: 0/0/1 time: 3s job: 2 dft_time: 0
"""


def test_executions_are_the_highest_count_that_is_printed() -> None:
    assert libfuzzer.executions(FORK) == 204
    assert libfuzzer.executions(b"stat::number_of_executed_units: 77\n") == 77
    assert libfuzzer.executions(b"") == 0


@given(st.binary(max_size=500))
def test_any_output_is_a_count(output: bytes) -> None:
    assert libfuzzer.executions(output) >= 0


def test_a_targets_own_options_without_what_a_campaign_decides() -> None:
    text = (
        "[libfuzzer]\nmax_len = 200\ndict = sub/x.dict\nruns = 1\nartifact_prefix=/\n[asan]\nx=1\n"
    )
    *flags, dictionary = libfuzzer.read_target_options(text, "/out", "t")
    assert flags == ["-max_len=200"]
    assert "/out/x.dict" in dictionary


@pytest.mark.slow
@given(st.text(max_size=200))
def test_any_options_file_gives_flags_that_a_shell_takes_as_words(text: str) -> None:
    *flags, _ = libfuzzer.read_target_options("[libfuzzer]\n" + text, "/out", "t")
    assert all(flag.startswith(("-", "'-")) for flag in flags)


class Box:
    """A sandbox in which somebody made an archive; what is put into it is remembered."""

    def __init__(self, tar: bytes) -> None:
        self.tar, self.got = tar, dict[str, bytes]()

    def take(self, folder: str, into: IO[bytes], limit: int) -> bool:
        into.write(self.tar)
        return True

    def put(self, files: Mapping[str, bytes], into: str, executable: bool = False) -> None:
        self.got.update(files)


def hostile() -> Any:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, content in (("../../opt/arena/bin/git", b"x"), ("corpus/a", b"seed")):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("corpus/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        tar.addfile(link)
    return Box(made.getvalue())


def test_a_kept_corpus_has_no_name_that_a_sandbox_gave(tmp_path: Path) -> None:
    kept = StoredCorpus(tmp_path / "campaign")
    kept.keep(hostile())
    names = archive.names((tmp_path / "campaign/corpus.tar").read_bytes())
    assert names and all(set(name) <= set("0123456789abcdef") for name in names)
    next_one = hostile()
    kept.fill(next_one)
    assert sorted(next_one.got.values()) == [b"seed", b"x"]


def test_crashes_are_kept_once_by_content(tmp_path: Path) -> None:
    kept = StoredCorpus(tmp_path)
    kept.keep_crashes(crashes_in(hostile()))
    kept.keep_crashes({"again": b"seed"})
    assert sorted(kept.crashes().values()) == [b"seed", b"x"]


def test_a_turn_symbolizes_nothing_and_keeps_the_images_options() -> None:
    line = libfuzzer.fuzzing("sh -c 'echo $ASAN_OPTIONS $MSAN_OPTIONS'", [], 1, seed=1)
    env = {"ASAN_OPTIONS": "detect_leaks=0", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(["sh", "-c", line], env=env, capture_output=True, check=True)
    assert done.stdout == b"detect_leaks=0:symbolize=0 :symbolize=0\n"


def _of_turn(turn: int, flags: list[str]) -> dict[str, str]:
    """The flags of a turn; of two of one name, the last, as libFuzzer takes them."""
    words = libfuzzer.fuzzing("/out/target", flags, 1, seed=turn).split()
    return dict(word.split("=", 1) for word in words if word.startswith("-") and "=" in word)


def test_each_length_of_input_has_a_turn_with_and_without_compared_values() -> None:
    turns = [_of_turn(turn, []) for turn in range(1, 7)]
    seen = {(turn.get("-max_len"), turn["-use_value_profile"]) for turn in turns}
    assert seen == {(length, profile) for length in ("256", "2048", None) for profile in "01"}


@given(st.integers(0, 10**6), st.integers(1, 50))
def test_a_target_gets_no_longer_input_than_it_asks_for(own: int, turn: int) -> None:
    longest = int(_of_turn(turn, ["-only_ascii=1", f"-max_len={own}"])["-max_len"])
    assert longest == own or 0 < longest < own or (own == 0 and longest in libfuzzer.LENGTHS)
