"""What a model thinks is no part of its answer, however it is marked; marks that an answer speaks of stay."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.models.thought_marks import MARK, WORDS
from arena.models.thoughts import drop_thoughts
from arena.models.wrapped import fence_json_code

DRAFT = "```python\nDRAFT = 1\n```\n"
# A block that the model left open.
OPEN_DRAFT = "```python\nDRAFT = 1\n"
ANSWER = "```python\nANSWER = 1\n```\n"
PLAIN = "```\nANSWER = 1\n```\n"
START, FINAL = "<|start|>assistant", "<|channel|>final"

BEFORE = {
    "think": f"<think>\n{DRAFT}</think>\n",
    "thinking": f"<thinking>{DRAFT}</thinking>",
    "thought": f"<thought>{DRAFT}</thought>",
    "thoughts": f"<thoughts>{DRAFT}</thoughts>",
    "reasoning": f"<reasoning>\n{DRAFT}</reasoning>\n",
    "reflection": f"<reflection>{DRAFT}</reflection>",
    "scratchpad": f"<scratchpad>{DRAFT}</scratchpad>",
    "analysis": f"<analysis>{DRAFT}</analysis>",
    "inner monologue": f"<inner_monologue>{DRAFT}</inner_monologue>",
    "Mistral": f"[THINK]{DRAFT}[/THINK]",
    "Kimi": f"◁think▷{DRAFT}◁/think▷",
    "Kimi K3": f"<|open|>think<|sep|>{DRAFT}<|close|>think<|sep|><|open|>response<|sep|>",
    "Seed": f"<seed:think>{DRAFT}</seed:think>",
    "MiniMax": f"<mm:think>{DRAFT}</mm:think>",
    "OpenThinker": f"<|begin_of_thought|>{DRAFT}<|end_of_thought|>\n<|begin_of_solution|>",
    "Cohere": f"<|START_THINKING|>{DRAFT}<|END_THINKING|><|START_RESPONSE|>",
    "Apertus": f"<|inner_prefix|>{DRAFT}<|inner_suffix|>",
    "Gemma": f"<|channel>thought\n{DRAFT}<channel|>",
    "MedGemma": f"<unused94>thought\n{DRAFT}<unused95>",
    "Inkling": f"<|content_thinking|>{DRAFT}<|end_message|><|message_model|><|content_text|>",
    "Muse": f" to=self<|message|>{DRAFT}<|eom|>{START} to=user<|message|>",
    "Granite": f"Here is my thought process: {DRAFT}\nHere's my response: ",
    "Ollama": f"Thinking...\n{DRAFT}\n...done thinking.\n\n",
    "Open WebUI": f'<details type="reasoning" done="true">\n{DRAFT}</details>\n',
    "channels": f"<|channel|>analysis<|message|>{DRAFT}<|end|>{START}{FINAL}<|message|>",
    "three channels": (
        f"<|channel|>analysis<|message|>{DRAFT}<|end|>{START}<|channel|>commentary<|message|>{DRAFT}<|end|>"
        f"{START}{FINAL} <|constrain|>python<|message|>"
    ),
    "channels without tokens": f"analysisWe need it.\n{DRAFT}assistantfinal",
    "headings": f"## Thought process\n\n{DRAFT}\n## Final answer\n\n",
    "labels": f"**Thinking:** md5 is short.\n{DRAFT}\n**Answer:** ",
    "plain labels": f"Reasoning: md5 is short.\n{DRAFT}\nFinal answer: Here.\n",
    "attributes and case": f'<Think lang="x">{DRAFT}</THINK >',
    "escaped": f"&lt;think&gt;{DRAFT}&lt;/think&gt;",
    "emphasis": f"**<think>**\n{DRAFT}**</think>**\n",
    "no opening": f"{DRAFT}</think>",
    "no opening, line": f"{DRAFT}\n</think>\n",
    "no opening, inline": f"{DRAFT}That is weak.</think>Here it is:\n",
    "no opening, in a sentence": f"{DRAFT}so let me do that </think> here it is:\n",
    "late": f"Sure.\n<think>{DRAFT}</think>",
    "late, inline": f"Sure. <think>{DRAFT}</think>",
    "late, after a draft": f"{DRAFT}<think>weak {DRAFT}</think>",
    "nested": f"<think>{DRAFT}<think>{DRAFT}</think>{DRAFT}</think>",
    "twice opened": f"<think>\n<think>\n{DRAFT}</think>\n",
    "twice": f"<think>{DRAFT}</think>\nOr no.\n<think>{DRAFT}</think>\n",
    "other kinds within": f"<thinking>{DRAFT}<reflection>{DRAFT}</reflection></thinking>",
    "empty": "<think>\n\n</think>\n\n",
    "open draft": f"<think>{OPEN_DRAFT}</think>\n",
    "open draft, no opening": f"{OPEN_DRAFT}</think>\n",
    "open draft, inline": f"{OPEN_DRAFT}That is weak.</think>Here it is:\n",
    "closed with the fence": f"<think>{OPEN_DRAFT}```</think>",
    "open draft after one that shows a mark": f"```\n<think>\n```\n{OPEN_DRAFT}</think>\n",
    "ended by the answer": f"<think>{DRAFT}\n<answer>\n",
    "ended by the answer, open draft": f"<think>{OPEN_DRAFT}<answer>\n",
    "spoken of within": f"<think>I must write `</think>` at the end. {DRAFT}</think>",
}  # fmt: skip
AFTER = {
    "": "",
    "a word": "It is done.",
    "turn": "<turn|>",
    "return": "<|return|>",
    "closing": "\n</answer>",
}


@pytest.mark.parametrize("answer", [ANSWER, PLAIN], ids=["named", "plain"])
@pytest.mark.parametrize("name", BEFORE)
def test_what_comes_before_the_answer_is_thought(name: str, answer: str) -> None:
    for after in AFTER.values():
        left = drop_thoughts(BEFORE[name] + answer + after)
        assert "DRAFT" not in left
        assert answer.strip() in left


@pytest.mark.parametrize(
    "after",
    [
        f"<think>Is it right? {DRAFT}Yes.</think>\nDone.",
        f"<think>Is it right? {DRAFT}",
        f"\n<reflection>\n{DRAFT}</reflection>\n",
        f"<|END_RESPONSE|>{DRAFT}",
        "<think>It is.</think></think>",
        "<|im_end|>\n",
    ],
)
def test_thoughts_after_the_answer_take_nothing_from_it(after: str) -> None:
    left = drop_thoughts(f"<think>{DRAFT}</think>{ANSWER}{after}")
    assert ANSWER.strip() in left
    assert "DRAFT" not in left


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>{DRAFT}",
        f"Sure.\n<think>\n{DRAFT}So",
        f"Sure. <think>Let me see.\n{DRAFT}",
        f"Sure <think>\n{DRAFT}",
        f"<think>It goes into <answer> tags: {DRAFT}",
        f"{DRAFT}<think>a</think>b</think>\nI cannot do that.",
        f"{DRAFT}</think>",
        f"{DRAFT}</think>\nI cannot do that.",
        f"<|channel|>analysis<|message|>{DRAFT}",
        f"Thinking...\n{DRAFT}",
        f"Here is my thought process: {DRAFT}",
    ],
)
def test_thoughts_without_an_answer_leave_none(reply: str) -> None:
    assert "DRAFT" not in drop_thoughts(reply)


CODE = 'def strip(text):\n    return text.split("</think>")[-1]\n'
SPEAKING = {
    "string": f"```python\n{CODE}```\nDone.\n",
    "string, cut": f"```python\n{CODE}",
    "string, no fence": CODE,
    "pattern": "import re\n\nx = re.sub('<think>.*?</think>', '', x)\n",
    "document": '```python\nX = """\n<think>\na\n</think>\nb\n"""\n```\n',
    "document, cut": '```python\nX = """\n<think>\na\n</think>\nb\n',
    "half a document": '```python\nX = """\na\n</think>\nb\n"""\n```\nShows:\n```\nb\n```\n',
    "comment": "```python\n# drop all up to </think> here\nx = 1\n```\n",
    "comment, cut": "```python\nx = 1  # up to </think>\ny = 2\n",
    "docstring's first word": 'def f(x):\n    """<think>\n    is dropped.\n    """\n    return x\n',
    "docstring": 'def f(x):\n    """Remove <think> blocks."""\n    return x\n',
    "elements": "```xml\n<thoughts>\n<thought>\na\n</thought>\n</thoughts>\n<summary>b</summary>\n```\n",
    "channels": '```python\nx = "<|channel|>final<|message|>"\n```\n',
    "code span": f"{ANSWER}It takes out `<think>` and `</think>`.",
    "quotation": f"{ANSWER}It takes out all up to \u201c</think>\u201d.",
    "sentence": f"{ANSWER}It takes out <think> and </think> tags.",
    "between": f"{ANSWER}It takes out <think>...</think> blocks.",
    "before the answer": f"It takes out <think> tags:\n{ANSWER}",
    "JSON": '{"reason": "splits at </think> wrongly", "verdict": "fail"}',
    "index": "x = a[THINK]",
    "a heading alone": f"## Reasoning\n\nIt works.\n\n{ANSWER}",
    "a heading, and nothing after": f"Analysis: hash it.\n{ANSWER}\nImplementation: it hashes.\n",
    "a comment that is a heading": "Reasoning:\n\n```python\n# Answer\nx = 1\n```\n",
    "a name": "analysisResult = 1\n",
}


@pytest.mark.parametrize("name", SPEAKING)
def test_an_answer_may_speak_of_marks(name: str) -> None:
    assert drop_thoughts(SPEAKING[name]) == SPEAKING[name]
    if "```" in SPEAKING[name]:
        assert drop_thoughts(f"<think>{DRAFT}</think>\n{SPEAKING[name]}") == "\n" + SPEAKING[name]
        assert drop_thoughts(f"{OPEN_DRAFT}No.\n</think>\n{SPEAKING[name]}").endswith(
            SPEAKING[name]
        )


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<think>hm </think> x is 1", " x is 1"),
        (f"{DRAFT}  </think> x is 1", " x is 1"),
        (f"{OPEN_DRAFT}</think>\nx = 1\n", "\nx = 1\n"),
        (f"{OPEN_DRAFT}That is weak.</think>x = 1", "x = 1"),
        (f"<think>\n{OPEN_DRAFT}</think>\n```\nx = 1\n", "\n```\nx = 1\n"),
        (f"{OPEN_DRAFT}</think>\n{ANSWER}It prints:\n```\n1\n", f"\n{ANSWER}It prints:\n```\n1\n"),
        ("x = 1<|im_end|>\n", "x = 1"),
        ("## Reasoning\n\nIt is 1.\n\n## Answer\nx = 1\n", "\nx = 1\n"),
        ("<think>a\n<answer>\nx = 1\n</answer>", "x = 1\n"),
    ],
)
def test_answers_without_a_fence_or_that_were_cut(reply: str, answer: str) -> None:
    assert drop_thoughts(reply) == answer


def test_an_answer_in_a_tag_comes_out_of_it() -> None:
    assert drop_thoughts("<think>a</think>\n<answer>\nx = 1\n</answer>\n") == "x = 1\n"
    assert drop_thoughts("<answer>x = 1") == "<answer>x = 1"


def test_thoughts_within_json_are_thoughts() -> None:
    reply = json.dumps({"answer": f"<think>{DRAFT}</think>{ANSWER}"})
    assert fence_json_code(drop_thoughts(reply)) == ANSWER


lines = st.lists(
    st.one_of(
        st.sampled_from(["```", "```python", "~~~", "", "    x = 1", "So:", "Sure: ```python"]),
        st.text(max_size=20).filter(lambda text: "\n" not in text),
    ),
    max_size=8,
).map("\n".join)
thoughts = lines.filter(
    lambda text: not MARK.search(text) and not any(one.opening.match(text) for one in WORDS)
)
PAIRS = [
    ("<think>", "</think>"), ("[THINK]", "[/THINK]"), ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", f"<|end|>{START}{FINAL}<|message|>"), ("◁think▷", "◁/think▷"),
]  # fmt: skip
MARKS = ["<think>", "</think>", '"</think>"', "[/THINK]", "</thought>", "<thought>", "x", "", '"""']
code = st.lists(st.sampled_from(MARKS), max_size=8).map(lambda some: "\n".join([*some, ""]))


@given(thoughts, st.sampled_from(PAIRS), st.booleans(), code)
def test_any_thoughts_end_at_the_mark(
    text: str, pair: tuple[str, str], opened: bool, within: str
) -> None:
    """Whatever the thoughts hold, and whatever the answer's code says of marks."""
    answer = f"\nHere:\n```python\n{within}x = 1\n```\n"
    opening = pair[0] if opened else ""
    assert drop_thoughts(f"{opening}{text}\n{pair[1]}{answer}") == answer


@given(thoughts)
def test_a_reply_without_marks_is_left_alone(text: str) -> None:
    assert drop_thoughts(text + "\n.") == text + "\n."


@given(
    st.lists(st.sampled_from([*MARKS, *sum(PAIRS, ()), "```", "`", "\n", "<answer>", "<|end|>"]))
)
def test_any_marks_are_read(pieces: list[str]) -> None:
    assert len(drop_thoughts("".join(pieces))) <= len("".join(pieces)) + len(pieces)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "<think>", "</think>", "</think>\n", "<", "<|", " ", '"</think>"', "`</think>`", "<think a", "```\n",
        "<details type=", "<think>a</think>b", "<|end|>", "<|channel|>analysis", "<|channel|>final ", "&lt;think",
        "```\n</think>\n", "x ```python\n", "<answer>\n", "[THINK]", "Here is my thought process: ", "a_", "to=self",
    ],
)  # fmt: skip
def test_hostile_replies_take_linear_time(piece: str) -> None:
    started = time.process_time()
    for opening in ("", "## Reasoning\n", "```" + " " * 25_000):
        drop_thoughts(opening + piece * (75_000 // len(piece)))
    assert time.process_time() - started < 5
