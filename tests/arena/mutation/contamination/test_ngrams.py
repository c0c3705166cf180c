"""The audit: similarities worked by hand, corpora of every form, and its speed."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.contamination.ngrams import (
    CorpusError,
    Document,
    Index,
    audit,
    grams,
    jaccard,
    read_corpus,
)
from arena.tracks.mutation.tasks.program import Program

CODE = "def f(a):\n    return a + 1  # one more\n"


def program(secure: str, insecure: str = "", name: str = "p") -> Program:
    return Program(name, "CWE-89", "f", secure, insecure)


def test_jaccard_by_hand() -> None:
    # a b c d e f has (abcde)(bcdef); b c d e f g has (bcdef)(cdefg): one of three in common
    one, other = grams("a b c d e f"), grams("b c d e f g")
    assert jaccard(one, other) == pytest.approx(1 / 3)
    found = audit([program("a b c d e f", "zz")], [Document("d", "b c d e f g")], 0.3)
    (pair,) = found.pairs
    assert (pair.version, pair.contained) == ("secure", 0.5)
    assert pair.jaccard == pytest.approx(1 / 3)
    assert audit([program("a b c d e f")], [Document("d", "b c d e f g")], 0.34).pairs == []


def test_layout_and_comments_do_not_count() -> None:
    assert grams(CODE) == grams("def f ( a ) :\n\n  return a+1\n# other words\n")
    assert grams(CODE) != grams(CODE.replace("a", "b"))


def test_short_and_empty_texts() -> None:
    assert grams("a b") == {("a", "b")}
    assert grams(" # nothing") == frozenset()
    assert jaccard(grams(""), grams("")) == 0
    assert audit([program("", "")], [Document("d", "")]).pairs == []


@given(st.text("ab +", max_size=60), st.text("ab +", max_size=60), st.integers(1, 6))
def test_the_index_finds_what_the_formula_says(one: str, other: str, size: int) -> None:
    expected = jaccard(grams(one, size), grams(other, size))
    assert 0 <= expected <= 1
    assert expected == jaccard(grams(other, size), grams(one, size))
    pairs = list(Index([program(one)], size).alike(Document("d", other), 1e-9))
    assert [p.jaccard for p in pairs] == ([expected] if expected else [])


def test_a_folder_is_read_without_links_and_what_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.py").write_text(CODE)
    (tmp_path / "b.bin").write_bytes(b"\0\1")
    (tmp_path / "c.py").symlink_to(tmp_path / "deep" / "a.py")
    (tmp_path / "big.txt").write_bytes(b"x " * (1 << 20) + b"x")
    found = audit([program(CODE)], read_corpus(tmp_path))
    assert [pair.document for pair in found.pairs] == ["deep/a.py"]
    assert found.documents == 1
    assert sorted(found.skipped) == ["b.bin: no text", "big.txt: longer than 2 MiB"]


def test_lines_of_a_jsonl_file_are_documents(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    lines = [json.dumps({"id": 1, "deep": [{"code": CODE}]}), "{broken", "", json.dumps("other")]
    path.write_text("\n".join(lines))
    found = audit([program(CODE)], read_corpus(path))
    assert [(p.document, p.jaccard) for p in found.pairs] == [("corpus.jsonl:1", 1.0)]
    assert (found.documents, found.skipped) == (2, ["corpus.jsonl:2: no JSON"])


def test_a_file_is_one_document(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text(CODE)
    assert len(audit([program(CODE, CODE)], read_corpus(path)).pairs) == 2
    with pytest.raises(CorpusError, match="no such folder or file"):
        read_corpus(tmp_path / "none")


@pytest.mark.parametrize(("threshold", "size"), [(0, 5), (1.5, 5), (0.3, 0)])
def test_wrong_numbers_are_mistakes(threshold: float, size: int) -> None:
    with pytest.raises(ValueError, match="--"):
        audit([program(CODE)], [], threshold, size)


@pytest.mark.slow
def test_many_documents_are_quick() -> None:
    draw = random.Random(1)
    words = [f"w{n}" for n in range(300)]
    texts = [" ".join(draw.choices(words, k=300)) for _ in range(340)]
    programs = [program(text, text, str(n)) for n, text in enumerate(texts)]
    corpus = [
        Document(str(n), texts[n % 340] + " ".join(draw.choices(words, k=60))) for n in range(400)
    ]
    before = time.process_time()
    found = audit(programs, corpus)
    assert len(found.pairs) == 2 * 400
    assert time.process_time() - before < 20
