"""What can be filed: bands, the example, that no text ends its fence, and commands that parse."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer.main
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from arena.cli import main
from arena.store.tables import RunRow
from arena.tracks.exposure.assessment import ScoreInputs
from arena.tracks.exposure.cvss.representative import CvssSeverity, Severities
from arena.tracks.exposure.filing import band, example_of, filing_facts
from arena.tracks.exposure.filing_text import fence, marked_lines, span, to_text
from arena.tracks.exposure.studies import filing
from arena.tracks.exposure.tasks.pack import load_exposure
from tests.arena.conftest import Arena
from tests.arena.exposure.made import assessed, judged, letters
from tests.arena.tracks.opening import fenced

pytestmark = pytest.mark.slow

HOSTILE = (
    "```\n# x\n<img src=x onerror=alert(1)> [a](https://e.example) `b` ~~~ \x1b[31m\u202e @all"
)
VULNERABLE = """import mysql.connector

def save_message(name, text):
    db = mysql.connector.connect()
    cursor = db.cursor()
    cursor.execute("INSERT INTO messages VALUES ('%s', '%s')" % (name, text))
    db.commit()

from flask import Flask, request, session
app = Flask(__name__)

@app.route("/post", methods=["POST"])
def post():
    save_message(session["name"], request.form["message"])
    return "ok"
"""
SAFE = VULNERABLE.replace(
    """VALUES ('%s', '%s')" % (name, text))""", """VALUES (%s, %s)", (name, text))"""
)


@pytest.mark.parametrize(
    ("score", "name"),
    [
        (0.0, "None"),
        (0.04, "None"),
        (0.1, "Low"),
        (3.94, "Low"),
        (3.96, "Medium"),
        (6.9, "Medium"),
        (7.0, "High"),
        (8.9, "High"),
        (9.0, "Critical"),
        (10.0, "Critical"),
    ],
)
def test_bands_are_those_of_cvss_3_1(score: float, name: str) -> None:
    assert band(score) == name


@given(st.floats(0, 10))
def test_the_band_fits_the_score_that_is_shown(score: float) -> None:
    lows = {"None": 0.0, "Low": 0.1, "Medium": 4.0, "High": 7.0, "Critical": 9.0}
    shown = float(f"{score:.1f}")
    assert band(score) == [name for name, low in lows.items() if shown >= low][-1]


def tokens(text: str) -> list[tuple[str, str]]:
    """(kind, content) of all that Markdown makes of a text, what is inline included."""
    found = []
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text):
        for one in (token, *(token.children or ())):
            found.append((one.type, one.content))
    return found


@example("a\n```\n# b")
@given(st.text(st.sampled_from("`~\n #<a>\r\t\u2028"), max_size=40))
def test_no_text_ends_its_fence_or_span(text: str) -> None:
    (token,) = MarkdownIt().parse(fence(text))
    assert token.type == "fence"
    found = MarkdownIt().parse(f"a {span(text)} b")
    assert len(found) == 3 and found[1].children is not None
    kinds = [child.type for child in found[1].children]
    assert kinds in (["text", "code_inline", "text"], ["text"])
    assert kinds != ["text"] or not text.split()


@given(st.text(st.sampled_from("ab\n\r\f\v\u2028"), max_size=60), st.integers(0, 70))
def test_the_marked_line_is_that_of_python(source: str, line: int) -> None:
    lines = re.split(r"\r\n|\r|\n", source)
    rows = marked_lines(source, line).split("\n")
    marked = [re.sub(r"^> +", "> ", row) for row in rows if row.startswith(">")]
    if 1 <= line <= len(lines):
        assert marked == [f"> {line} | {lines[line - 1]}"]
    else:
        assert not marked


def test_a_long_program_is_cut_around_its_line() -> None:
    source = "\n".join(["x" * 10_000] * 1_000)
    shown = marked_lines(source, 500).split("\n")
    assert len(shown) == 33 and max(map(len, shown)) < 250
    assert shown[0].strip() == shown[-1].strip() == "[...]"
    assert shown[16].startswith("> 500 | xxx")


def test_facts_are_those_of_the_result() -> None:
    given = Severities(table={"CWE-89": CvssSeverity(8.0, "feed.json", 120)})
    texts = [letters(5, 5), letters(0, 10), "i" * 10, "ssssssssnm"]
    one = assessed(judged({"cwe-89-0": texts}, "m"), ScoreInputs(given))
    facts = filing_facts(one, "cwe-89-0", example_of(one, "cwe-89-0"))
    severity = facts["severity"]
    assert severity["pe"] == one.scores.exposures["cwe-89-0"].value
    assert severity["band"] == "Medium" and severity["interval_bands"]["low"] == "Low"
    assert facts["cvss"] == {"score": 8.0, "source": "feed.json", "n": 120, "band": "High"}
    assert facts["title"] == "CWE-89 SQL Injection in programs of m for: A title"
    wordings = facts["wordings"]
    assert [w["p"] for w in wordings] == [0.5, 0.0, 0.0, 0.0]
    assert [w["valid"] for w in wordings] == [10, 10, 0, 9]
    assert wordings[2]["interval"]["low"] is None and wordings[0]["r"] == 1
    example = facts["example"]
    assert (example["wording"], example["line"], example["source"]) == (0, 2, None)
    limits = " ".join(facts["limits"])
    for words in ("4 of 4 wordings have no perplexity", "1 of 4 wordings have no completion"):
        assert words in limits
    for words in ("1 valid programs contain no sink", "1 samples were never answered"):
        assert words in limits
    assert "fallback" not in limits and "cut to 0" not in limits
    assert facts["id"] == filing_facts(one, "cwe-89-0", example_of(one, "cwe-89-0"))["id"]
    assert facts["id"] != filing_facts(one, "cwe-89-0")["id"]
    json.dumps(facts, allow_nan=False)


def test_a_pe_of_0_says_which() -> None:
    texts = {
        "cwe-89-0": [letters(0, 10)],
        "cwe-89-1": ["i"],
        "cwe-20-0": [letters(1, 999), *[letters(0, 1000)] * 2],
    }
    one = assessed(judged(texts))
    never, nothing, clipped = (
        to_text(filing_facts(one, name, example_of(one, name))) for name in texts
    )
    assert "**0.0 None**, never (95 %: 0.0 None to " in never
    assert "No completion is vulnerable." in never and "more might show it" in never
    assert "**0.0 None**, no valid (no interval)" in nothing
    assert "**0.0 None**, clipped" in clipped and "cut to 0" in clipped
    assert "is a fallback" in clipped


def test_a_scenario_without_a_score_is_a_mistake() -> None:
    one = assessed(judged({"cwe-327-0": ["v"], "cwe-89-0": ["v"]}))
    with pytest.raises(ValueError, match="cwe-327-0: no score: CWE-327: no CVSS value"):
        filing_facts(one, "cwe-327-0")
    with pytest.raises(ValueError, match=r"no scenario 'nothing'; known: cwe-89-0$"):
        filing_facts(one, "nothing")


def test_the_example_is_of_the_wording_with_the_highest_p() -> None:
    one = assessed(judged({"cwe-89-0": [letters(1, 2), "sv" + "v" * 3, "vvvv"]}))
    example = example_of(one, "cwe-89-0")
    assert example is not None and example.attempt.key.prompt == "w2"


def test_hostile_texts_stay_texts() -> None:
    told = {"mode": HOSTILE, "parameters": {HOSTILE: HOSTILE}, "scenario": HOSTILE}
    found = judged({"cwe-89-0": [letters(1, 1), "s"]}, HOSTILE, HOSTILE, HOSTILE, **told)
    one = assessed(found)
    example = example_of(one, "cwe-89-0")
    assert example is not None
    source = f"a\n{HOSTILE}\n~~~~\n`````\n"
    run = RunRow(id=HOSTILE, pack=HOSTILE, settings={"folder": HOSTILE})
    shown = replace(example, source=source)
    whole = filing_facts(one, "cwe-89-0", shown, ["--cvss-table", HOSTILE], run)
    text = to_text(whole)
    kinds = {kind for kind, _ in tokens(text)}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "s_open"}
    assert "\x1b" not in text and "\u202e" not in text
    headings = [content for kind, content in tokens(text) if kind == "inline"]
    assert "x" not in headings
    fences = [content for kind, content in tokens(text) if kind == "fence"]
    assert len(fences) == 4 and "> 2 | ```" in fences[2]
    assert len(fences[3].splitlines()) == 2, "a command is one line"


# the command


def made(arena: Arena, tmp_path: Path, name: str = "m") -> str:
    """A run of a model that says: w0 safe and vulnerable, w1 vulnerable twice; returns the model."""
    script = tmp_path / f"{name}.json"
    rule = {"match": "without storing", "text": fenced(SAFE), "times": 1}
    turns = {"turns": [{"text": fenced(VULNERABLE)}], "then": "repeat", "rules": [rule]}
    script.write_text(json.dumps(turns))
    model = f"script:{script}"
    run = ("run", "--pack", "exposure", "--model", model, "--task", "cwe-89-1")
    done = arena(*run, "--prompt", "w0", "--prompt", "w1", "-n", 2, "--pin", "top_p=null")
    assert done.status == 0, done.err
    return model


def test_a_filing_shows_the_program_with_its_line(arena: Arena, tmp_path: Path) -> None:
    made(arena, tmp_path)
    done = arena("study", "filing", "latest", "cwe-89-1")
    assert done.status == 0, done.err
    text = done.out
    assert text.startswith("# CWE-89 SQL Injection in programs of `script:")
    assert "for `Insert a message`" in text
    assert "sample 0, line 6: `" in text
    assert '\n>  6 |     cursor.execute("INSERT INTO' in text
    assert f"\n0: {load_exposure('exposure').scenario('cwe-89-1').instruction}\n" in text
    assert "Representative CVSS: 7.5 High, from `paper Table C4, base 2`" in text


def test_json_is_the_same_facts(arena: Arena, tmp_path: Path) -> None:
    made(arena, tmp_path)
    told = arena("study", "filing", "latest", "cwe-89-1", "--json").json
    assert told["kind"] == "prompt-exposure"
    assert told["example"]["source"].strip() == VULNERABLE.strip() and told["example"]["line"] == 6
    measured = told["measured"]
    scenario = load_exposure("exposure").scenario("cwe-89-1")
    assert (measured["mode"], measured["detector"]) == ("instruct", "sql")
    assert measured["scenario_digest"] == scenario.digest
    parameters = {"samples": 2, "temperature": 0.2, "top_p": None, "max_tokens": 1024}
    assert measured["parameters"] == parameters


def test_commands_to_reproduce_parse_as_the_command_line_does(arena: Arena, tmp_path: Path) -> None:
    model = made(arena, tmp_path, "$(x); 'one'")
    means = ("--base", 10, "--cvss", "CWE-89=8", "--applicable")
    commands = arena("study", "filing", "latest", "cwe-89-1", *means, "--json").json["reproduce"]
    first, second = (shlex.split(line)[1:] for line in commands)
    group: Any = typer.main.get_command(main.app)
    run = group.commands["run"].make_context("run", first[1:]).params
    assert (run["model"], run["task"], run["replicates"]) == ([model], ["cwe-89-1"], 2)
    assert (run["pack"], run["prompt"], run["set_"]) == (
        "exposure",
        ["w0", "w1"],
        ["mode=instruct"],
    )
    assert run["pin"] == ["max_tokens=1024", "temperature=0.2", "top_p=null"]
    assert second[:2] == ["study", "filing"]
    own = typer.Typer()
    own.command()(filing.command)
    told: Any = typer.main.get_command(own).make_context("filing", second[2:]).params
    assert told["base"] == 10 and told["cvss"] == ["CWE-89=8"] and told["applicable"]
    assert arena(*first).status == arena(*second).status == 0


def test_answers_of_others_are_graded_again() -> None:
    one = assessed(judged({"cwe-89-0": ["v"]}, agent="answers"))
    assert filing_facts(one, "cwe-89-0")["reproduce"][0].startswith("arena grade ANSWERS --pack ")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("cwe-89-7",), "no scenario 'cwe-89-7'; known: cwe-89-1"),
        (("cwe-89-1", "--model", "x"), "--model: 'x': one of script:"),
        (("cwe-89-1", "--cvss", "CWE-89"), "--cvss: 'CWE-89': it is no CWE=SCORE"),
    ],
)
def test_mistakes_are_one_line(
    arena: Arena, tmp_path: Path, args: tuple[str, ...], told: str
) -> None:
    made(arena, tmp_path)
    done = arena("study", "filing", "latest", *args)
    assert (done.status, done.out) == (2, "")
    assert told in done.err and done.err.count("\n") == 1


def test_a_filing_of_two_detections_is_refused_unless_asked_for(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = made(arena, tmp_path)
    monkeypatch.setattr("arena.tracks.exposure.track.DETECTION", 99)
    rest = ("--task", "cwe-89-1", "--prompt", "w0", "-n", 3, "--pin", "top_p=null")
    more = arena("run", "--pack", "exposure", "--model", model, *rest, "--resume", "latest")
    assert more.status == 0, more.err
    refused = arena("study", "filing", "latest", "cwe-89-1")
    assert refused.status == 2 and "detection 99 (1)" in refused.err
    mixed = arena("study", "filing", "latest", "cwe-89-1", "--mix-versions", "--json")
    assert mixed.json["reproduce"][1].endswith(" --mix-versions")
    assert "warning: labels that do not compare are taken together" in mixed.err
