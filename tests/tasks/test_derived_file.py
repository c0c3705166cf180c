from __future__ import annotations

from pathlib import Path

import pytest

from tasks.derived_file import DerivedFile
from tasks.loader import TaskError

BASE = "".join(f"line {number}\n" for number in range(20))
WEAK = BASE.replace("line 9\n", "weak\n")
DIFF = """\
--- a/good.py
+++ b/good.py
@@ -7,7 +7,7 @@
 line 6
 line 7
 line 8
-line 9
+weak
 line 10
 line 11
 line 12
"""


def derived(folder: Path, base: str = "good.py") -> DerivedFile:
    (folder / "good.py").write_text(BASE)
    return DerivedFile(folder, "weak.py", base, Path.read_bytes)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_is_stored_as_a_diff_and_whole_again(tmp_path: Path) -> None:
    file = derived(tmp_path)
    file.path.write_text(WEAK)
    assert not file.is_diff and file.read() == WEAK.encode()
    assert file.store_as_diff() and not file.store_as_diff()
    assert names(tmp_path) == ["good.py", "weak.py.patch"] and file.is_diff
    assert file.diff_path.read_text() == DIFF and file.read() == WEAK.encode()
    assert file.store_whole() and not file.store_whole()
    assert names(tmp_path) == ["good.py", "weak.py"] and file.path.read_text() == WEAK


@pytest.mark.parametrize("content", ["another\n" * 9, BASE, "", WEAK.replace("line 1", "LINE 1")])
def test_a_diff_that_is_no_shorter_is_not_made(tmp_path: Path, content: str) -> None:
    """Equal files stay whole too: their diff would be empty."""
    file = derived(tmp_path)
    file.path.write_text(content)
    assert not file.store_as_diff() and names(tmp_path) == ["good.py", "weak.py"]


def test_a_file_without_a_base_stays_whole(tmp_path: Path) -> None:
    file = derived(tmp_path, base="")
    file.path.write_text(WEAK)
    assert not file.store_as_diff() and file.read() == WEAK.encode()
    file.path.rename(file.diff_path)
    with pytest.raises(
        TaskError, match=r"weak\.py\.patch: there is no file that it could be a diff of"
    ):
        file.read()


def test_both_forms_at_once_are_a_mistake(tmp_path: Path) -> None:
    file = derived(tmp_path)
    file.path.write_text(WEAK)
    file.diff_path.write_text(DIFF)
    for call in (file.read, file.store_as_diff, file.store_whole):
        with pytest.raises(
            TaskError, match=r"weak\.py: is stored twice, whole and as weak\.py\.patch"
        ):
            call()


def test_an_edited_base_is_a_mistake(tmp_path: Path) -> None:
    file = derived(tmp_path)
    file.diff_path.write_text(DIFF)
    (tmp_path / "good.py").write_text("line 0, edited\n" + BASE)
    with pytest.raises(
        TaskError, match=r"weak\.py\.patch: does not apply to good\.py: line 3: good\.py has"
    ):
        file.read()
    with pytest.raises(TaskError):
        file.store_whole()
    assert names(tmp_path) == ["good.py", "weak.py.patch"]
