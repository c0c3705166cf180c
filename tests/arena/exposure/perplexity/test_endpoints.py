"""Endpoints: their real shapes are understood, and each trouble is one line; nothing is asked twice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from arena.tracks.exposure.perplexity import _endpoint
from arena.tracks.exposure.perplexity._source import (
    NoPerplexity,
    Perplexities,
    ReferenceFault,
    ReferenceUnusable,
    measure_texts,
    open_perplexities,
)
from arena.tracks.exposure.scores import Form
from harness.grade.ports import MemoryCache
from tests.arena.exposure.perplexity.serving import Server, echoed, prompted, serving, tokens_of

pytestmark = pytest.mark.slow

TEXT = "In Python, ping the host that a user names."
TOKENS = tokens_of(TEXT)
TOLD: list[Any] = [None, *(-0.5 * (1 + n % 3) for n in range(len(TOKENS) - 1))]
EXPECTED = math.exp(-math.fsum(TOLD[1:]) / len(TOLD[1:]))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(_endpoint, "WAITS", ())
    monkeypatch.setattr(_endpoint.Endpoint.__init__, "__defaults__", ("", ()))
    with serving(lambda path, body: echoed(TOKENS, TOLD)) as one:
        yield one


def opened(
    server: Server, kind: str = "echo", cache: MemoryCache | None = None, form: Form = "mean"
) -> Perplexities:
    return open_perplexities(
        f"{kind}:{server.base}", cache or MemoryCache(), "reference", "key", form
    )


def answering(server: Server, answer: Any) -> None:
    server.answer = lambda path, body: answer


# echo


def test_echo(server: Server) -> None:
    assert opened(server).perplexity_of(TEXT) == pytest.approx(EXPECTED)
    ((path, body),) = server.asked
    assert path == "/v1/completions"
    assert body == {
        "model": "reference",
        "prompt": TEXT,
        "max_tokens": 1,
        "temperature": 0,
        "echo": True,
        "logprobs": 1,
    }
    assert server.keys == ["Bearer key"]


def test_nothing_is_asked_twice_in_either_form(server: Server) -> None:
    cache = MemoryCache()
    answering(server, echoed(TOKENS, [-2.0, *TOLD[1:]]))
    mean = opened(server, cache=cache).perplexity_of(TEXT)
    paper = opened(server, cache=cache, form="paper").perplexity_of(TEXT)
    assert len(server.asked) == 1
    total = 2.0 - math.fsum(TOLD[1:])
    assert mean == pytest.approx(math.exp(total / len(TOLD)))
    assert paper == pytest.approx(math.exp(total / (len(TOLD) - 1)))


def test_another_model_text_or_endpoint_is_asked_anew(server: Server) -> None:
    cache = MemoryCache()
    opened(server, cache=cache).perplexity_of(TEXT)
    open_perplexities(f"echo:{server.base}", cache, "another").perplexity_of(TEXT)
    open_perplexities(f"echo:{server.base}/", cache, "reference").perplexity_of(TEXT)
    assert len(server.asked) == 3


@pytest.mark.parametrize("mark", ["<s>", "<|begin_of_text|>", "<bos>", ""])
def test_a_mark_for_the_beginning_has_no_probability_and_gives_the_next_one(
    server: Server, mark: str
) -> None:
    answering(server, echoed([mark, *TOKENS], [None, -3.0, *TOLD[1:]]))
    found = opened(server).perplexity_of(TEXT)
    assert found == pytest.approx(math.exp((3.0 - math.fsum(TOLD[1:])) / len(TOLD)))


@pytest.mark.parametrize(
    "written",
    [
        [token.replace(" ", "\u2581") for token in TOKENS],
        [token.replace(" ", "\u0120") for token in TOKENS],
        [" " + TOKENS[0], *TOKENS[1:]],
    ],
)
def test_marks_for_spaces_are_understood(server: Server, written: list[str]) -> None:
    answering(server, echoed(written, TOLD))
    assert opened(server).perplexity_of(TEXT) == pytest.approx(EXPECTED)


@pytest.mark.parametrize(
    "tokens",
    [
        ["na", "\ufffd", "\ufffd", "ve caf", "\u00e9"],
        ["na", "bytes:\\xc3", "bytes:\\xaf", "ve caf", "\u00e9"],
        ["na", "<0xC3>", "<0xAF>", "ve", "\u2581caf", "\u00c3\u00a9"],
        ["na\u00efve", " caf\u00e9"],
    ],
)
def test_pieces_of_characters_are_understood(server: Server, tokens: list[str]) -> None:
    answering(server, echoed(tokens, [None, *[-1.0] * (len(tokens) - 1)]))
    assert opened(server).perplexity_of("na\u00efve caf\u00e9") == pytest.approx(math.e)


def test_spaces_at_the_end_of_a_text_are_part_of_it(server: Server) -> None:
    answering(server, echoed(["def", " f", ":", "\n"], [None, -1.0, -1.0, -4.0], "\n"))
    assert opened(server).perplexity_of("def f:\n") == pytest.approx(math.exp(2))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"logprobs": None}, "no log-probabilities"),
        ({"logprobs": {"content": [{"token": "x", "logprob": -1}]}}, "only those of what was gen"),
        ({"logprobs": {"tokens": [" of"], "token_logprobs": [-0.4]}}, "does not echo"),
        ({"logprobs": {"tokens": ["a"], "token_logprobs": [None, -1.0]}}, "1 tokens, but 2"),
        ({"logprobs": {"tokens": [1, 2], "token_logprobs": [None, -1.0]}}, "no texts"),
        ({"logprobs": {"tokens": {}, "token_logprobs": []}}, "of the prompt"),
    ],
)
def test_an_answer_without_what_is_needed(server: Server, change: Any, told: str) -> None:
    answering(server, {"choices": [{"text": "x", **change}]})
    with pytest.raises(ReferenceUnusable, match=told):
        opened(server).perplexity_of(TEXT)


@pytest.mark.parametrize(
    ("tokens", "told"),
    [
        (["<|im_start|>", "user", "\n", *TOKENS, "<|im_end|>"], "'user' where 'InPython,ping"),
        (TOKENS[:-4], "where|after|end"),
        ([*TOKENS, "<|im_end|>", "\n"], "come after the text"),
        (["Some", "thing", " else"], "is expected"),
    ],
)
def test_tokens_that_do_not_spell_the_prompt(server: Server, tokens: list[str], told: str) -> None:
    answering(server, echoed(tokens, [None, *[-1.0] * (len(tokens) - 1)]))
    with pytest.raises(ReferenceUnusable, match=f"not the prompt's tokens: .*({told})"):
        opened(server).perplexity_of(TEXT)


@pytest.mark.parametrize("wrong", [None, 0.7, "x", True, [1]])
def test_a_log_probability_that_is_none(server: Server, wrong: Any) -> None:
    answering(server, echoed(TOKENS, [*TOLD[:3], wrong, *TOLD[4:]]))
    with pytest.raises(ReferenceUnusable, match="token 3 of the prompt has"):
        opened(server).perplexity_of(TEXT)


def test_a_text_of_one_token_has_no_perplexity(server: Server) -> None:
    answering(server, echoed(["Ping"], [None]))
    with pytest.raises(NoPerplexity, match="too few"):
        opened(server).perplexity_of("Ping")


# HTTP


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((400, {"error": {"message": "echo is not supported"}}), r"echo is not supported \(400\)"),
        ((404, {"detail": "Not Found"}), "404"),
        ((401, b"no key\x1b[31m\nno entry"), "no entry"),
        ((422, b""), "no message"),
        ((200, {"error": "model overloaded"}), "model overloaded"),
        ((200, b"<html>"), "is no JSON"),
        ((200, b"[" * 100_000), "is no JSON"),
        ((200, [1]), "no JSON object"),
        ((200, {}), "no choices"),
        ((200, {"choices": [3]}), "no choices"),
        ((302, b""), "302"),
    ],
)
def test_an_endpoint_that_refuses_is_told(server: Server, answer: Any, told: str) -> None:
    answering(server, answer)
    with pytest.raises(ReferenceUnusable, match=told) as caught:
        opened(server).perplexity_of(TEXT)
    assert not isinstance(caught.value, ReferenceFault)
    assert server.base in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_fault_that_passes_is_asked_again(server: Server) -> None:
    answers: Iterator[Any] = iter(
        [(503, {"error": "busy"}), (429, b"slow down"), echoed(TOKENS, TOLD)]
    )
    server.answer = lambda path, body: next(answers)
    endpoint = _endpoint.Endpoint(server.base, "reference", waits=(0, 0))
    assert "choices" in endpoint.post("completions", {})
    assert len(server.asked) == 3


def test_a_fault_that_stays_keeps_nothing(server: Server) -> None:
    cache = MemoryCache()
    answering(server, (503, {"error": {"message": "loading"}}))
    with pytest.raises(ReferenceFault, match=r"loading \(503\)"):
        opened(server, cache=cache).perplexity_of(TEXT)
    answering(server, echoed(TOKENS, TOLD))
    assert opened(server, cache=cache).perplexity_of(TEXT) == pytest.approx(EXPECTED)


def test_nobody_there_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_endpoint.Endpoint.__init__, "__defaults__", ("", ()))
    source = open_perplexities("echo:http://127.0.0.1:1/v1", MemoryCache(), "m")
    with pytest.raises(ReferenceFault, match="ConnectError"):
        source.perplexity_of(TEXT)


def test_an_endless_answer_is_cut(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_endpoint, "MAX_ANSWER", 1000)
    answering(server, b" " * 200_000)
    with pytest.raises(ReferenceUnusable, match="more than 1000 bytes"):
        opened(server).perplexity_of(TEXT)


# vLLM


def test_prompt_logprobs(server: Server) -> None:
    answering(server, prompted(TOKENS, TOLD))
    assert opened(server, "prompt-logprobs").perplexity_of(TEXT) == pytest.approx(EXPECTED)
    ((path, body),) = server.asked
    assert path == "/v1/completions"
    assert (body["prompt"], body["prompt_logprobs"], body["max_tokens"]) == (TEXT, 0, 1)


def test_prompt_logprobs_after_a_mark_for_the_beginning(server: Server) -> None:
    answering(server, prompted(["<s>", *TOKENS], [None, -3.0, *TOLD[1:]]))
    found = opened(server, "prompt-logprobs").perplexity_of(TEXT)
    assert found == pytest.approx(math.exp((3.0 - math.fsum(TOLD[1:])) / len(TOLD)))


def test_prompt_logprobs_with_other_tokens_are_told_apart_by_id(server: Server) -> None:
    answer = prompted(TOKENS, TOLD)
    listed = answer["choices"][0]["prompt_logprobs"]
    for entry in listed[1:]:
        entry["9999"] = {"logprob": -0.01, "rank": 1, "decoded_token": " the"}
    answering(server, answer)
    with pytest.raises(ReferenceUnusable, match=r"prompt_logprobs\[1\] does not tell which"):
        opened(server, "prompt-logprobs").perplexity_of(TEXT)
    answer["choices"][0]["prompt_token_ids"] = list(range(len(TOKENS)))
    assert opened(server, "prompt-logprobs").perplexity_of(TEXT) == pytest.approx(EXPECTED)
    answer["choices"][0]["prompt_token_ids"] = [1, 2]
    with pytest.raises(ReferenceUnusable, match="not as many"):
        opened(server, "prompt-logprobs").perplexity_of(TEXT)


def test_in_a_chat_only_the_texts_own_tokens_count(server: Server) -> None:
    before = [
        "<|im_start|>",
        "system",
        "\n",
        "You",
        " help",
        "<|im_end|>",
        "<|im_start|>",
        "user",
        "\n",
    ]
    after = ["<|im_end|>", "\n", "<|im_start|>", "assistant", "\n"]
    told = [None, *[-9.0] * (len(before) - 1), -3.0, *TOLD[1:], *[-9.0] * len(after)]
    answering(server, prompted([*before, *TOKENS, *after], told, chat=True))
    found = opened(server, "prompt-logprobs-chat").perplexity_of(TEXT)
    assert found == pytest.approx(math.exp((3.0 - math.fsum(TOLD[1:])) / len(TOLD)))
    ((path, body),) = server.asked
    assert path == "/v1/chat/completions"
    assert body["messages"] == [{"role": "user", "content": TEXT}]


@pytest.mark.parametrize(
    ("tokens", "told"),
    [
        (["<s>", "user", *TOKENS[:-1], ".<end>"], "partly the chat template's"),
        (["<s>", "userIn", *TOKENS[1:]], "partly the chat template's"),
        (["<s>", "user", *TOKENS[:-3]], "do not spell"),
    ],
)
def test_a_chat_whose_tokens_are_not_the_texts(
    server: Server, tokens: list[str], told: str
) -> None:
    answering(server, prompted(tokens, [None, *[-1.0] * (len(tokens) - 1)], chat=True))
    with pytest.raises(ReferenceUnusable, match=told):
        opened(server, "prompt-logprobs-chat").perplexity_of(TEXT)


@pytest.mark.parametrize(
    "listed", [None, [], "x", [None, 3], [None, {}], [None, {"1": 2}], [None, None]]
)
def test_prompt_logprobs_that_are_missing_or_broken(server: Server, listed: Any) -> None:
    answering(server, {"choices": [{"text": "", "prompt_logprobs": listed}]})
    with pytest.raises(ReferenceUnusable, match="prompt_logprobs"):
        opened(server, "prompt-logprobs").perplexity_of(TEXT)


def test_a_cut_prompt_is_noticed(server: Server) -> None:
    long = " ".join(f"word{n}" for n in range(60))
    tokens = ["<s>", *tokens_of(long)[30:]]
    answering(server, prompted(tokens, [None, *[-1.0] * (len(tokens) - 1)]))
    with pytest.raises(ReferenceUnusable, match="not the prompt's tokens"):
        opened(server, "prompt-logprobs").perplexity_of(long)


# all texts


def test_by_text_tells_what_is_missing(server: Server) -> None:
    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        tokens = tokens_of(body["prompt"])
        return echoed(tokens, [None, *[-1.0] * (len(tokens) - 1)])

    server.answer = answer
    seen: list[str] = []
    found = measure_texts(["Ping", "Ping it.", "Ping it."], opened(server), done=seen.append)
    assert found.values == {"Ping it.": pytest.approx(math.e)}
    assert list(found.missing) == ["Ping"]
    assert sorted(seen) == ["Ping", "Ping it."]
    assert len(server.asked) == 2


def test_by_text_ends_at_an_endpoint_that_is_unusable(server: Server) -> None:
    answering(server, (400, {"error": {"message": "no echo"}}))
    with pytest.raises(ReferenceUnusable, match="no echo"):
        measure_texts([f"text {n}" for n in range(50)], opened(server), jobs=1)
    assert len(server.asked) < 10


@pytest.mark.parametrize("told", [-math.inf, -1e31])
def test_a_probability_of_nothing_is_an_error_and_no_r_of_1(server: Server, told: float) -> None:
    answering(server, echoed(TOKENS, [None, told, *TOLD[2:]]))
    with pytest.raises(ReferenceUnusable, match="token 1 of the prompt has"):
        opened(server).perplexity_of(TEXT)
