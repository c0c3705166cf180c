"""The commands that come after scoring, and the result files that they read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result as Ran
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from arena.cli.dual_report import compare, explain, report
from arena.cli.dual_validate import validate
from arena.tracks.dual.intervals import result_json
from arena.tracks.dual.results import MAX_FILE, Result, ResultError, load_result
from tests.arena.dual.scored import result, row, said

app = typer.Typer()
for command in (report, compare, explain, validate):
    app.command(command.__name__)(command)

GOOD = result(
    row("a", "0", "pp", "p", cwe="CWE-22"), row("b", "0", "pf", "p", cwe="CWE-89"), name="good"
)
POOR = result(row("a", "0", "pf", "f"), row("b", "0", "ff", "f"), name="poor")


def arena(*arguments: str | Path, exit_code: int = 0) -> Ran:
    ran = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert ran.exit_code == exit_code, (ran.output, ran.exception)
    return ran


def mistake(*arguments: str | Path) -> str:
    ran = arena(*arguments, exit_code=1)
    assert isinstance(ran.exception, ValueError), ran.exception
    text = str(ran.exception)
    assert "\n" not in text
    return text


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "good.json", tmp_path / "poor.json"
    for path, found in zip(paths, (GOOD, POOR), strict=True):
        path.write_text(json.dumps(result_json(found)))
    return paths


def test_a_result_is_read_back_as_it_was(files: tuple[Path, Path]) -> None:
    assert load_result(files[0]) == GOOD


def test_the_contract_s_bare_form_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bare.json"
    test = {
        "id": "t",
        "kind": "functional",
        "verdict": "pass",
        "oracle": "",
        "observed": "",
        "reason": "",
    }
    rows = [{"task": "a", "sample": name, "tests": [test]} for name in "xyz"]
    path.write_text(json.dumps({"summary": {}, "samples": rows}))
    found = load_result(path)
    assert (found.name, found.k, len(found.samples)) == ("bare", 3, 3)


SAMPLE: dict[str, Any] = {"task": "a", "sample": "0", "tests": []}
TEST = {"id": "t", "kind": "functional", "verdict": "pass"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b"[]", "an object is expected"),
        (b"{}", "samples: Field required"),
        (b'{"samples": 7}', "samples: Input should be"),
        (b'{"samples": [7]}', "samples.0: Input should be"),
        ({"samples": [SAMPLE | {"state": "odd"}]}, "samples.0.state: Input should be 'usable'"),
        (
            {"samples": [SAMPLE | {"tests": [TEST | {"verdict": "ok"}]}]},
            "samples.0.tests.0.verdict",
        ),
        (
            {"samples": [SAMPLE | {"tests": [TEST, TEST]}]},
            "samples.0: Value error, the test 't' is there",
        ),
        (
            {"samples": [SAMPLE, SAMPLE], "k": 2},
            "samples: Value error, the sample '0' of 'a' is there",
        ),
        ({"samples": [SAMPLE], "k": 10**9}, "k: Input should be less than"),
        (
            {"samples": [SAMPLE], "seconds": float("nan")},
            "seconds: Input should be a finite number",
        ),
        ({"samples": [SAMPLE | {"task": "x" * 501}]}, "samples.0.task: String should have at most"),
    ],
)
def test_a_wrong_result_is_named_in_one_line(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(ResultError) as caught:
        load_result(path)
    assert str(caught.value).startswith(f"{path}: {message}"), caught.value
    assert "\n" not in str(caught.value)


def test_a_result_that_is_not_there_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="No such file"):
        load_result(tmp_path / "none")
    large = tmp_path / "large.json"
    with large.open("wb") as stream:
        stream.truncate(MAX_FILE + 1)
    with pytest.raises(ResultError, match="larger than 256 MiB"):
        load_result(large)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda one: (
        st.lists(one, max_size=3)
        | st.dictionaries(st.sampled_from(("samples", "task", "sample", "tests", "k", "id")), one)
    ),
)


@given(JSON)
def test_any_json_is_a_result_or_a_clear_mistake(value: Any) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "any.json"
        path.write_text(json.dumps(value))
        try:
            assert isinstance(load_result(path), Result)
        except ResultError as error:
            assert "\n" not in str(error)


def test_report_as_tables_csv_json_and_markdown(files: tuple[Path, Path]) -> None:
    assert "Table 3. Main results" in arena("report", *files).stdout
    assert "Table 3,Main results" in arena("report", *files, "--csv").stdout
    tables = json.loads(arena("report", *files, "--json", "--by", "cwe").stdout)
    assert [table["number"] for table in tables] == [3, 0, 0, 0, 0]
    assert tables[0]["rows"][1][0] == "poor" and tables[-1]["title"] == "By CWE"
    assert arena("report", files[0], "--markdown").stdout.startswith("### Table 3. Main results")


def test_report_of_rates_at_k(tmp_path: Path) -> None:
    path = tmp_path / "k.json"
    rows = [row("a", str(n), "p" if n else "f", "p") for n in range(3)]
    path.write_text(json.dumps(result_json(result(*rows, name="k"))))
    tables = json.loads(arena("report", path, "--k", "2", "--k", "7", "--json").stdout)
    rates = {cells[1]: cells[2] for cells in tables[1]["rows"]}
    assert rates["pass@2"] == 100.0 and rates["pass@1"] == pytest.approx(200 / 3)
    assert "pass@7" not in rates and "pass@3" not in rates


def test_report_of_families(files: tuple[Path, Path]) -> None:
    families = f"Qwen3={files[0]},{files[1]}"
    tables = json.loads(arena("report", "--group", families, "--json", "--by", "level").stdout)
    assert (tables[0]["number"], tables[0]["title"]) == (4, "Qwen3")
    assert [cells[0] for cells in tables[0]["rows"]] == ["good", "poor"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name at least one file"),
        (["--group", "x"], "--group: 'x' is no TITLE=FILE,FILE"),
        (["--group", "=x"], "is no TITLE=FILE,FILE"),
        (["none.json"], "none.json: No such file"),
    ],
)
def test_mistakes_in_report_are_one_line(arguments: list[str], message: str) -> None:
    assert message in mistake("report", *arguments)


def test_an_unknown_group_of_rates_is_a_mistake(files: tuple[Path, Path]) -> None:
    assert "--by: 'colour' is none of" in mistake("report", files[0], "--by", "colour")


def test_report_writes_a_page_to_a_folder_or_a_file(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    ran = arena("report", *files, "--html", tmp_path / "out")
    assert "give --pack" in ran.stderr and ran.stdout == ""
    text = (tmp_path / "out" / "index.html").read_text()
    arena("report", *files, "--html", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == text
    assert not list(tmp_path.rglob("*.half"))
    assert "--html:" in mistake("report", files[0], "--html", files[0] / "sub")


def test_compare_tells_what_differs(files: tuple[Path, Path]) -> None:
    shown = arena("compare", *files).stdout
    assert "good and poor: second minus first over 2 tasks" in shown
    assert "secure: only first 2, only second 0 of 2 samples; McNemar p = 0.5000" in shown
    found = json.loads(arena("compare", *files, "--json").stdout)
    assert found["differences"]["spr"]["value"] == -1.0 and found["names"] == ["good", "poor"]


def test_compare_tells_tasks_that_take_no_part(files: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    rows = (
        row("a", "0", "p", "p"),
        *(row(f"z{n}", "0", "p", "p") for n in range(9)),
        GOOD.samples[1],
    )
    other.write_text(json.dumps(result_json(result(*rows, name="other", scorer=99))))
    said_ = arena("compare", files[0], other).stderr
    assert "not scored alike: scorer: 1 and 99" in said_
    assert "only in the second: z0, z1, z2, z3, z4 and 4 more" in said_
    assert "left out, their tests differ: a" in said_


def test_explain_tells_each_test(files: tuple[Path, Path], tmp_path: Path) -> None:
    hostile = "\x1b[2J no such\nfile"
    base = row("a", "0", "pf", "p", why=hostile)
    told = {"oracle": "returns", "observed": hostile, "reason": hostile}
    failing = base.tests[1].model_copy(update={**told, "oracles": (said("returns", "f"),)})
    changed = base.model_copy(update={"tests": (base.tests[0], failing)})
    path = tmp_path / "told.json"
    path.write_text(json.dumps(result_json(result(changed, row("b", "0", "p", "p")))))
    shown = arena("explain", path, "a", "0", "--test", "f1").stdout
    assert "FAIL f1 (functional)" in shown and "PASS" not in shown and "\x1b" not in shown
    assert "observed" in shown and "returns (seen): fail" in shown
    found = json.loads(arena("explain", path, "a", "--json").stdout)
    assert [test["id"] for test in found["tests"]] == ["f0", "f1"]


def test_explain_names_what_there_is(files: tuple[Path, Path]) -> None:
    assert "no task 'c'; known: a, b" in mistake("explain", files[0], "c")
    assert "no sample '9' of 'a'; known: 0" in mistake("explain", files[0], "a", "9")
    assert "--test: 'f9' is none of f0, f1, s0" in mistake("explain", files[0], "a", "--test", "f9")


def pack_at(folder: Path) -> Path:
    task = folder / "a"
    task.mkdir(parents=True)
    (folder / "pack.toml").write_text(
        'schema = 1\nname = "made"\nversion = "1"\nlicence = "CC0-1.0"\ntrack = "dual"\n'
    )
    (task / "task.toml").write_text(
        'schema = 1\nid = "a"\nlanguages = ["python"]\n[io]\nshape = "function"\n'
        'functions = [{name = "add"}]\n'
    )
    (task / "instruction.md").write_text("Add.\n")
    step = {"call": "add", "args": [1, 2]}
    test = {"id": "f0", "steps": [step], "expect": [{"oracle": "returns", "value": 3}]}
    (task / "tests.json").write_text(json.dumps({"functional": [test], "security": []}))
    return folder


def test_explain_tells_input_and_expected_of_the_pack(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    pack = pack_at(tmp_path / "pack")
    shown = arena("explain", files[0], "a", "--test", "f0", "--pack", pack).stdout
    assert 'input    {"call": "add", "args": [1, 2]}' in shown
    assert 'expected returns {"value": 3}' in shown


def test_a_pack_is_looked_up_by_plain_names_only(tmp_path: Path) -> None:
    """A result file is no trusted file: a path in it must lead nowhere."""
    pack = pack_at(tmp_path / "pack")
    path = tmp_path / "told.json"
    path.write_text(json.dumps(result_json(result(row("a", "0", "p", "p"), pack=str(pack)))))
    ran = arena("explain", path, "a")
    assert "not shown: give --pack" in ran.stderr and "expected" not in ran.stdout


def test_validate_draws_a_template_and_reads_it_back(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    template = tmp_path / "labels.jsonl"
    assert "2 of 9 tasks" in arena("validate", files[0], "--sample", "9", "--out", template).stderr
    rows = [json.loads(line) for line in template.read_text().splitlines()]
    filled = [one | {"executed": True, "verdict": "pass"} for one in rows]
    gone = {**filled[0], "test": "gone"}
    template.write_text("\n".join(json.dumps(one) for one in [*filled, gone]))
    ran = arena("validate", files[0], "--labels", template)
    assert (
        "Against people's labels" in ran.stdout
        and "labels about tests that are not there: 1" in ran.stderr
    )
    found = json.loads(arena("validate", files[0], "--labels", template, "--json").stdout)
    assert found["executor"]["tp"] == 2 and found["evaluator"]["n"] == 2
    assert found["unknown"] == [f"{gone['task']}/0/gone"]


def test_mistakes_in_validate_are_one_line(files: tuple[Path, Path], tmp_path: Path) -> None:
    assert "--labels: give labels, or --sample N" in mistake("validate", files[0])
    assert "--out: needed with --sample" in mistake("validate", files[0], "--sample", "1")
    labels = tmp_path / "labels.csv"
    labels.write_text("task,sample,test,verdict\nx,0,f0,pass\n")
    assert "no label is about a test of" in mistake("validate", files[0], "--labels", labels)
