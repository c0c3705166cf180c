"""Asking a scripted model: rows, caps, resume, and a model that is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from arena.tracks.mutation.generate.generation import generate

from arena.store.store import Store
from arena.tracks.asking import Answer, Asking, Question, ask_all
from arena.tracks.mutation.tasks.program import Program
from harness.grade.ports import digest_of

PROGRAMS = [
    Program(f"p{n}", "CWE-89", f"entry_{n}", f"def entry_{n}(x):\n    return x\n", "")
    for n in range(6)
]
REPLY = "```python\ndef test_a():\n    assert entry(1) == 1\n```"
PRICES = "[prices.script]\ninput = 1000000\noutput = 0\n"


def script(tmp_path: Path, *rules: str, then: str = "stop", name: str = "s.toml") -> str:
    path = tmp_path / name
    told = (rule if "match" in rule else f"match = ''\n{rule}" for rule in rules)
    path.write_text(f'then = "{then}"\n' + "".join(f"[[rules]]\n{rule}\n" for rule in told))
    return f"script:{path}"


def asking(model: str, **more: object) -> Asking:
    return Asking(model, jobs=3, **more)  # type: ignore[arg-type]


def test_every_program_and_sample_is_a_row_in_order(tmp_path: Path, store: Store) -> None:
    model = script(
        tmp_path,
        "match = 'entry_1'\ntext = 'No.'\ntokens = {input = 7, output = 2}",
        f"text = '''{REPLY}'''",
    )
    seen: list[tuple[str, str]] = []
    made = generate(
        PROGRAMS[:2], "no-hint", 2, asking(model), store, lambda *told: seen.append(told[:2])
    )
    assert [(row["id"], row["sample"], row["state"]) for row in made.rows] == [
        ("p0", 0, "ok"),
        ("p0", 1, "ok"),
        ("p1", 0, "no-code"),
        ("p1", 1, "no-code"),
    ]
    row = made.rows[2]
    assert row.keys() >= {
        "id",
        "sample",
        "prompt",
        "model",
        "reply",
        "tests",
        "state",
        "notes",
        "usage",
    }
    assert (row["reply"], row["tests"], row["prompt"], row["model"]) == (
        "No.",
        "",
        "no-hint",
        model,
    )
    assert row["usage"] == {"input_tokens": 7, "output_tokens": 2, "usd": 0.0, "stored": False}
    assert "def test_a" in made.rows[0]["tests"]
    assert made.ledger["calls"] == 4
    assert sorted(seen) == [("p0", "ok")] * 2 + [("p1", "no-code")] * 2
    assert [json.loads(line)["id"] for line in made.lines().splitlines()] == [
        "p0",
        "p0",
        "p1",
        "p1",
    ]


def test_nothing_is_asked_twice(tmp_path: Path, store: Store) -> None:
    model = script(tmp_path, f"text = '''{REPLY}'''\ntimes = 6")
    first = generate(PROGRAMS, "full", 1, asking(model), store)
    again = generate(PROGRAMS, "full", 1, asking(model), store)
    assert (len(first.rows), first.missing) == (6, ())
    assert again.ledger == {}
    assert [row["tests"] for row in again.rows] == [row["tests"] for row in first.rows]
    assert all(row["usage"]["stored"] for row in again.rows)


@pytest.mark.parametrize(
    "change", ["prompt", "sample", "temperature", "tokens", "program", "script"]
)
def test_what_makes_an_answer_is_asked_anew(tmp_path: Path, store: Store, change: str) -> None:
    model = script(tmp_path, f"text = '''{REPLY}'''")
    generate(PROGRAMS[:1], "full", 1, asking(model), store)
    pins = {
        "temperature": {"temperature": 1.0, "max_tokens": 2048},
        "tokens": {"temperature": 0.0, "max_tokens": 99},
    }.get(change)
    other = Program("p0", "CWE-89", "entry_0", PROGRAMS[0].secure, "changed")
    if change == "script":
        model = script(tmp_path, "text = 'Other.'")
    made = generate(
        [other] if change == "program" else PROGRAMS[:1],
        "cwe-id" if change == "prompt" else "full",
        2 if change == "sample" else 1,
        asking(model, pins=pins) if pins else asking(model),
        store,
    )
    assert made.ledger["calls"] == 1


def test_a_stopped_run_goes_on(tmp_path: Path, store: Store) -> None:
    model = script(tmp_path, f"text = '''{REPLY}'''")
    first = generate(PROGRAMS, "full", 1, asking(model, max_calls=2), store)
    assert (len(first.rows), len(first.missing)) == (2, 4)
    assert all("all 2 model calls are used" in why for why in first.missing)
    second = generate(PROGRAMS, "full", 1, asking(model), store)
    assert (len(second.rows), second.missing, second.ledger["calls"]) == (6, (), 4)


def test_money_is_capped_and_told(tmp_path: Path, store: Store) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES)
    model = script(tmp_path, f"text = '''{REPLY}'''\ntokens = {{input = 2, output = 1}}")
    ask = Asking(model, prices=prices, max_usd=3.0, jobs=1)
    made = generate(PROGRAMS, "full", 1, ask, store)
    assert (len(made.rows), len(made.missing)) == (2, 4)
    assert made.ledger["usd"] == pytest.approx(4.0)
    assert [row["usage"]["usd"] for row in made.rows] == [2.0, 2.0]


def test_a_model_that_is_not_there_is_no_reply(tmp_path: Path, store: Store) -> None:
    model = script(tmp_path, "fault = '401'\nmatch = 'entry_[0-4]'", f"text = '''{REPLY}'''")
    made = generate(PROGRAMS, "full", 1, Asking(model, jobs=1), store)
    assert made.rows == ()
    assert "the key is wrong" in made.missing[0]
    assert made.missing[5].startswith("p5, sample 0: not asked: ")
    assert made.ledger["calls"] == 0


def test_one_fault_does_not_end_the_rest(tmp_path: Path, store: Store) -> None:
    model = script(tmp_path, "fault = '400'\nmatch = 'entry_2'", f"text = '''{REPLY}'''")
    made = generate(PROGRAMS, "full", 1, asking(model), store)
    assert (len(made.rows), len(made.missing)) == (5, 1)
    assert made.missing[0].startswith("p2, sample 0: ")


def test_replies_may_hold_what_no_text_file_can(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"turns": [{"text": "a \ud800 b \0"}], "then": "repeat"}))
    question = Question(({"role": "user", "content": "hi \ud800"},))
    asked = ask_all([question], asking(f"script:{path}"), store)
    assert asked.answers[0].text.startswith("a ") or asked.missing
    again = ask_all([question], asking(f"script:{path}"), store)
    assert [a.text for a in again.answers.values()] == [a.text for a in asked.answers.values()]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("nobody", "is neither PROVIDER/NAME"),
        ("script:/no/such.toml", "/no/such.toml: No such file"),
    ],
)
def test_a_model_that_cannot_be_is_a_mistake(store: Store, model: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ask_all([Question(({"role": "user", "content": "hi"},))], asking(model), store)


def test_an_answer_tells_its_usage() -> None:
    assert Answer("x", usd=0.5).usage["usd"] == 0.5


def test_answers_of_earlier_versions_are_found_and_no_other_track_takes_them() -> None:
    messages = ({"role": "user", "content": "hi"},)
    told = json.dumps(messages, sort_keys=True)
    earlier = digest_of("mutation-ask", "1", "model", told, "about", "2")
    assert Question(messages, "about", 2).key(("model",)) == earlier
    assert Question(messages, "about", 2, "dual-generate").key(("model",)) != earlier
