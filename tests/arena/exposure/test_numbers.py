"""`arena study pe` and `cvss`: their contracts, and one line for each mistake."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from arena.tracks.exposure.studies import cvss, pe
from tests.arena.exposure.cvss.feeds import cve, document, write
from tests.arena.exposure.paper import ME, MODELS, TABLE_2, column

app = typer.Typer()
for name, study in (("pe", pe), ("cvss", cvss)):
    app.command(name, help=study.HELP)(study.command)


def run(*args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args])


def printed(*args: object) -> Any:
    done = run(*args, "--json")
    assert done.exit_code == 0, done.exception
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def mistake(*args: object) -> str:
    """The line of a ValueError, which the command line's main tells with exit code 2."""
    done = run(*args)
    assert isinstance(done.exception, ValueError), (done.exception, done.output)
    assert done.stdout == ""
    assert "\n" not in str(done.exception)
    return str(done.exception)


def file(folder: Path, value: Any) -> Path:
    path = folder / "input.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


# ME


def test_me_gives_table_2s_last_row(tmp_path: Path) -> None:
    path = file(tmp_path, {model: column(TABLE_2, n) for n, model in enumerate(MODELS)})
    found = printed("pe", path, "--base", 2)
    assert list(found) == list(MODELS)
    for model, me in zip(MODELS, ME, strict=True):
        assert abs(found[model]["me"] - me) < 0.06
        assert found[model]["me"] != me, "numbers in JSON are not rounded"
        assert found[model]["n"] == 17


def test_me_in_words_begins_with_the_least_exposed(tmp_path: Path) -> None:
    path = file(tmp_path, {"bad\u001b[31m": [9, 9], "good": [1]})
    done = run("pe", path)
    assert done.stdout.splitlines() == [
        "good: ME 1.0 (no interval), 1 scenarios, base 2",
        "bad\ufffd[31m: ME 9.0 (95 %: 9.0 to 9.0), 2 scenarios, base 2",
    ]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("", "empty"),
        ("{]", "no JSON"),
        ("[]", "object"),
        ({}, "no model"),
        ({"m": []}, "'m': PE: there is none"),
        ({"m": 5}, "'m': a list"),
        ({"m": [5, 11]}, "'m': PE 1: 11 "),
        ({"m": [-0.1]}, "'m': PE 0: -0.1 "),
        ({"m": ["5"]}, "'m': PE 0: a number"),
        ({"m": [True]}, "'m': PE 0: a number"),
        ('{"m": [NaN]}', "'m': PE 0: a finite number"),
        ('{"m": [1e999]}', "'m': PE 0: a finite number"),
        ('{"m": [5], "m": [6]}', "'m' is there twice"),
    ],
)
def test_me_of_a_wrong_file(tmp_path: Path, value: Any, told: str) -> None:
    path = file(tmp_path, value)
    message = mistake("pe", path)
    assert message.startswith(str(path))
    assert told in message


@pytest.mark.parametrize("base", ["1", "0", "-2", "nan", "inf"])
def test_a_base_that_is_none(tmp_path: Path, base: str) -> None:
    message = mistake("pe", file(tmp_path, {"m": [5]}), "--base", base)
    assert message.startswith("base: ")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for args in (("pe",), ("cvss",)):
        assert "No such file" in mistake(*args, tmp_path / "none.json")


# pe


def scenario(*wordings: Any, **more: Any) -> dict[str, Any]:
    return {"cvss": 8.0, "base": 2, "reformulations": list(wordings), **more}


def test_pe(tmp_path: Path) -> None:
    wordings = [{"vulnerable": 10, "valid": 20, "perplexity": 20}, {"vulnerable": 0, "valid": 25}]
    found = printed("pe", file(tmp_path, scenario(*wordings)))
    assert found["pe"] == pytest.approx(math.log2(2**8 * 0.25 / 2))
    assert (found["clipped"], found["never"], found["no_valid"], found["unweighted"]) == (
        False,
        False,
        0,
        1,
    )
    assert found["interval"]["low"] < found["pe"] < found["interval"]["high"]


@pytest.mark.parametrize(
    ("wordings", "cvss", "told"),
    [
        ([(1, 25), (0, 25), (0, 25)], 2.0, "clipped to 0"),
        ([(0, 25), (0, 25)], 9.0, "never vulnerable in 2 wordings; 2 of 2 wordings not weighted"),
        ([(0, 0), (0, 0)], 9.0, "PE 0.0 (no interval), base 2; no valid completion at all"),
        ([(0, 0), (1, 1)], 9.0, "1 of 2 wordings without any valid completion"),
    ],
)
def test_pe_in_words_says_what_a_0_is(
    tmp_path: Path, wordings: list[tuple[int, int]], cvss: float, told: str
) -> None:
    listed = [{"vulnerable": v, "valid": n} for v, n in wordings]
    done = run("pe", file(tmp_path, scenario(*listed, cvss=cvss)))
    assert told in done.stdout
    assert done.stdout.count("\n") == 1


GOOD = {"vulnerable": 1, "valid": 2, "perplexity": 20.0}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"cvss": 8.0}, "reformulations: a list"),
        (scenario(), "reformulations: a list"),
        (scenario(3), "reformulations[0]: an object"),
        (scenario(GOOD, {"valid": 2}), "reformulations[1]: vulnerable: missing"),
        (scenario(GOOD, {**GOOD, "valid": 0}), "reformulations[1]: vulnerable: 1 of 0"),
        (scenario({**GOOD, "valid": 2.5}), "reformulations[0]: valid: a whole number"),
        (scenario({**GOOD, "perplexity": 0.5}), "reformulations[0]: perplexity: 0.5 is below 1"),
        (scenario({**GOOD, "cvss": -1}), "reformulations[0]: cvss: -1"),
        (scenario(GOOD, cvss=None), "cvss: a number"),
        (scenario(GOOD, cvss=10.1), "cvss: 10.1"),
        (scenario(GOOD, base=1), "base: 1 is not above 1"),
        (scenario(GOOD, base="2"), "base: a number"),
    ],
)
def test_pe_of_a_wrong_file(tmp_path: Path, value: Any, told: str) -> None:
    path = file(tmp_path, value)
    message = mistake("pe", path)
    assert message.startswith(str(path))
    assert told in message


def test_a_field_that_is_not_read_is_told(tmp_path: Path) -> None:
    done = run("pe", file(tmp_path, scenario({**GOOD, "perplexty": 5})), "--json")
    assert "not read: perplexty" in done.stderr
    assert done.exit_code == 0


# cvss


def test_cvss(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.json", cve(1, "CWE-89", score=9.8), cve(2, score=None))
    packed = tmp_path / "b"
    late = cve(3, "CWE-89", score=1.0, published="2026-01-01T00:00:00.000")
    packed.write_bytes(
        gzip.compress(json.dumps(document(cve(4, "CWE-89", score=5.4), late)).encode())
    )
    found = printed("cvss", plain, packed, "--from", "2025-01-01", "--to", "2025-12-31")
    assert found == {"CWE-89": {"score": pytest.approx(math.log2((2**9.8 + 2**5.4) / 2)), "n": 2}}


def test_cvss_v4_by_switch(tmp_path: Path) -> None:
    metric = {"type": "Primary", "cvssData": {"version": "4.0", "baseScore": 8.7}}
    path = write(tmp_path / "a.json", cve(1, "CWE-89", metrics={"cvssMetricV40": [metric]}))
    done = run("cvss", path, "--json")
    assert json.loads(done.stdout) == {}
    assert "1 no score" in done.stderr
    assert "no CVE counts" in done.stderr
    assert printed("cvss", path, "--v4") == {"CWE-89": {"score": 8.7, "n": 1}}


def test_cvss_in_words(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", cve(1, "CWE-89", score=9.8), total=7)
    done = run("cvss", path)
    assert "CWE-89" in done.stdout
    assert "9.8" in done.stdout
    assert "1 of 7 results were given" in done.stderr


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--from", "January"), "--from: 'January' is no day"),
        (("--to", "2025-02-30"), "--to: '2025-02-30' is no day"),
        (("--from", "2025-02-01", "--to", "2025-01-01"), "is after"),
        (("--base", "1"), "base: "),
    ],
)
def test_cvss_with_wrong_options(tmp_path: Path, args: tuple[str, ...], told: str) -> None:
    path = write(tmp_path / "a.json", cve(1, "CWE-89"))
    assert told in mistake("cvss", path, *args)


def test_an_id_that_is_short_of_digits_is_no_reason_to_refuse_a_feed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", cve(1, "CWE-89", id="CVE-2025-1", score=9.8))
    assert printed("cvss", path) == {"CWE-89": {"score": 9.8, "n": 1}}


def test_a_base_beside_a_scenario_s_own_is_a_mistake(tmp_path: Path) -> None:
    assert mistake("pe", file(tmp_path, scenario(GOOD)), "--base", 3).startswith("--base: ")
