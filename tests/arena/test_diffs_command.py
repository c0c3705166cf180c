"""`arena tasks diffs`: packs of `dual` and `mutation` mean the same in both forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.main import app
from arena.tracks.dual.tasks.pack import load_dual
from arena.tracks.mutation.tasks.pack import load_programs, write_pack
from arena.tracks.mutation.tasks.program import Program
from arena.tracks.mutation.tasks.secmutbench import Dataset
from tasks.loader import TaskError
from tests.arena.dual.making import function_task, make_pack

GOOD = (
    "import html\n\n\ndef greet(name):\n" + "    name = name\n" * 9 + "    return 'hello ' + name\n"
)
WEAK = GOOD.replace("'hello ' + name", "'hello ' + str(eval(name))")
DIFF = """\
--- a/reference/solution.py
+++ b/reference/solution.py
@@ -11,4 +11,4 @@
     name = name
     name = name
     name = name
-    return 'hello ' + name
+    return 'hello ' + str(eval(name))
"""
PROGRAM = Program(
    "greeter", "CWE-95", "greet", GOOD, WEAK, "Greet.\n",
    functional_tests="import target\n", security_tests="import target\n",
)  # fmt: skip


def diffs(*arguments: object) -> list[dict[str, str]]:
    done = CliRunner().invoke(app, ["tasks", "diffs", *map(str, arguments), "--json"])
    if done.exception:
        raise done.exception
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def dual_pack(tmp_path: Path) -> Path:
    files = {"reference/solution.py": GOOD, "variants/weak.py": WEAK, "variants/new.py": "pass\n"}
    task = function_task("one", files=files)
    task["spec"]["variants"] = [
        {"file": "variants/weak.py", "kind": "insecure", "fails": ["sec-shell"]},
        {"file": "variants/new.py", "kind": "broken", "fails": ["fc-plain"]},
    ]
    return make_pack(tmp_path / "pack", task).folder


def test_variants_of_dual(dual_pack: Path) -> None:
    before = load_dual(dual_pack).task("one")
    assert diffs(dual_pack) == [
        {"task": "one", "file": "variants/weak.py", "stored": "weak.py.patch"}
    ]
    stored = dual_pack / "one/variants/weak.py.patch"
    assert stored.read_text() == DIFF and not stored.with_suffix("").exists()
    after = load_dual(dual_pack).task("one")
    assert after.digest == before.digest and after.spec == before.spec
    assert [after.read_variant(variant).decode() for variant in after.spec.variants] == [
        WEAK,
        "pass\n",
    ]
    assert diffs(dual_pack, "--whole", "--task", "one") == [
        {"task": "one", "file": "variants/weak.py", "stored": "weak.py"}
    ]
    assert stored.with_suffix("").read_text() == WEAK and not stored.exists()


def test_a_reference_of_dual_that_was_edited_alone_stops_the_loader(dual_pack: Path) -> None:
    diffs(dual_pack)
    (dual_pack / "one/reference/solution.py").write_text(GOOD.replace("hello", "hi"))
    with pytest.raises(
        TaskError, match=r"weak\.py\.patch: does not apply to reference/solution\.py"
    ):
        load_dual(dual_pack)


def test_insecure_versions_of_mutation(tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    assert write_pack(folder, Dataset("made", (PROGRAM,)), "made", "1", "Apache-2.0") == []
    (before,) = load_programs(folder).programs
    assert diffs(folder) == [
        {"task": "greeter", "file": "insecure.py", "stored": "insecure.py.patch"}
    ]
    stored = folder / "greeter/insecure.py.patch"
    assert stored.read_text() == DIFF.replace("reference/solution.py", "secure.py")
    (after,) = load_programs(folder).programs
    assert after == before and after.insecure == WEAK and after.digest == before.digest
    (folder / "greeter/secure.py").write_text(GOOD.replace("hello", "hi"))
    with pytest.raises(
        TaskError, match=r"insecure\.py\.patch: does not apply to secure\.py: line 3"
    ):
        load_programs(folder)


def test_a_track_without_derived_files_says_so() -> None:
    with pytest.raises(
        ValueError, match="exposure: tasks of the track exposure have no file that derives"
    ):
        diffs("exposure")
