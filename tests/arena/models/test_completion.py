"""Many questions to a scripted model: caps, resume, and a model that is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.models.completion import (
    Completion,
    CompletionBatch,
    CompletionRequest,
    ModelSettings,
    complete_all,
)
from arena.store.store import Store
from harness.grade.ports import digest_of

REPLY = "```python\ndef test_a():\n    assert entry(1) == 1\n```"
PRICES = "[prices.script]\ninput = 1000000\noutput = 0\n"


def script(tmp_path: Path, *rules: str, then: str = "stop", name: str = "s.toml") -> str:
    path = tmp_path / name
    told = (rule if "match" in rule else f"match = ''\n{rule}" for rule in rules)
    path.write_text(f'then = "{then}"\n' + "".join(f"[[rules]]\n{rule}\n" for rule in told))
    return f"script:{path}"


def says(tmp_path: Path) -> str:
    return script(tmp_path, f"text = '''{REPLY}'''")


def asking(model: str, **more: object) -> ModelSettings:
    return ModelSettings(model, jobs=3, **more)  # type: ignore[arg-type]


def question(text: str = "entry_0", about: str = "", sample: int = 0) -> CompletionRequest:
    return CompletionRequest(({"role": "user", "content": text},), about, sample)


QUESTIONS = [question(f"entry_{n}") for n in range(6)]


def texts(asked: CompletionBatch) -> list[str]:
    return [answer.text for _, answer in sorted(asked.answers.items())]


def test_every_question_has_its_answer(tmp_path: Path, store: Store) -> None:
    told = "match = 'entry_1'\ntext = 'No.'\ntokens = {input = 7, output = 2}"
    seen: list[tuple[int, str]] = []

    def done(number: int, answer: Completion | None) -> None:
        seen.append((number, answer.text if answer else ""))

    model = script(tmp_path, told, "text = 'Yes.'")
    found = complete_all(QUESTIONS[:3], asking(model), store, done)
    assert texts(found) == ["Yes.", "No.", "Yes."] and found.ledger["calls"] == 3
    assert sorted(seen) == list(enumerate(texts(found)))
    usage = {"input_tokens": 7, "output_tokens": 2, "usd": 0.0, "stored": False}
    assert found.answers[1].usage == usage


def test_nothing_is_asked_twice(tmp_path: Path, store: Store) -> None:
    model = script(tmp_path, f"text = '''{REPLY}'''\ntimes = 6")
    first = complete_all(QUESTIONS, asking(model), store)
    again = complete_all(QUESTIONS, asking(model), store)
    assert (len(first.answers), first.missing, again.ledger) == (6, {}, {})
    assert texts(again) == texts(first)
    assert all(answer.stored for answer in again.answers.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", ["question", "sample", "temperature", "tokens", "about", "script"]
)
def test_what_makes_an_answer_is_asked_anew(tmp_path: Path, store: Store, change: str) -> None:
    complete_all([question(about="a")], asking(says(tmp_path)), store)
    pins = {
        "temperature": {"temperature": 1.0, "max_tokens": 2048},
        "tokens": {"temperature": 0.0, "max_tokens": 99},
    }.get(change)
    model = script(tmp_path, "text = 'Other.'") if change == "script" else says(tmp_path)
    other = question(
        "other" if change == "question" else "entry_0",
        "b" if change == "about" else "a",
        int(change == "sample"),
    )
    found = complete_all([other], asking(model, pins=pins) if pins else asking(model), store)
    assert found.ledger["calls"] == 1


def test_what_was_stopped_goes_on(tmp_path: Path, store: Store) -> None:
    first = complete_all(QUESTIONS, asking(says(tmp_path), max_calls=2), store)
    assert (len(first.answers), len(first.missing)) == (2, 4)
    assert all("all 2 model calls are used" in why for why in first.missing.values())
    second = complete_all(QUESTIONS, asking(says(tmp_path)), store)
    assert (len(second.answers), second.missing, second.ledger["calls"]) == (6, {}, 4)


def test_money_is_capped_and_told(tmp_path: Path, store: Store) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES)
    model = script(tmp_path, f"text = '''{REPLY}'''\ntokens = {{input = 2, output = 1}}")
    found = complete_all(QUESTIONS, ModelSettings(model, prices=prices, max_usd=3.0, jobs=1), store)
    assert (len(found.answers), len(found.missing)) == (2, 4)
    assert found.ledger["usd"] == pytest.approx(4.0)
    assert [answer.usd for answer in found.answers.values()] == [2.0, 2.0]


def test_a_model_that_is_not_there_is_no_reply(tmp_path: Path, store: Store) -> None:
    model = script(tmp_path, "fault = '401'\nmatch = 'entry_[0-4]'", f"text = '''{REPLY}'''")
    found = complete_all(QUESTIONS, ModelSettings(model, jobs=1), store)
    assert found.answers == {} and found.ledger["calls"] == 0
    assert "the key is wrong" in found.missing[0]
    assert found.missing[5].startswith("not asked: ")


def test_one_fault_does_not_end_the_rest(tmp_path: Path, store: Store) -> None:
    model = script(tmp_path, "fault = '400'\nmatch = 'entry_2'", f"text = '''{REPLY}'''")
    found = complete_all(QUESTIONS, asking(model), store)
    assert (len(found.answers), list(found.missing)) == (5, [2])


def test_replies_may_hold_what_no_text_file_can(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"turns": [{"text": "a \ud800 b \0"}], "then": "repeat"}))
    question = CompletionRequest(({"role": "user", "content": "hi \ud800"},))
    asked = complete_all([question], asking(f"script:{path}"), store)
    assert asked.answers[0].text.startswith("a ") or asked.missing
    again = complete_all([question], asking(f"script:{path}"), store)
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
        complete_all(
            [CompletionRequest(({"role": "user", "content": "hi"},))], asking(model), store
        )


def test_an_answer_tells_its_usage() -> None:
    assert Completion("x", usd=0.5).usage["usd"] == 0.5


def test_answers_of_earlier_versions_are_found_and_no_other_track_takes_them() -> None:
    messages = ({"role": "user", "content": "hi"},)
    told = json.dumps(messages, sort_keys=True)
    earlier = digest_of("mutation-ask", "1", "model", told, "about", "2")
    assert CompletionRequest(messages, "about", 2).key(("model",)) == earlier
    assert CompletionRequest(messages, "about", 2, "dual-generate").key(("model",)) != earlier
