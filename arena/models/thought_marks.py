"""The marks that models put around what they think, as servers leave them in where no parser takes them out.

A mark is a tag of a word that means thinking (`<think>`, `<reasoning>`, `[THINK]`), a special token of a
model, the header of a channel, or, as the first words of a reply, a sentence. A new mark is a new entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """The effect of a mark. The `ENDS` close only thoughts that are open, and mean nothing elsewhere."""

    OPEN_TAG = "open_tag"
    CLOSE_TAG = "close_tag"
    OPEN_TOKEN = "open_token"  # noqa: S105 - a token of a model, no secret
    CLOSE_TOKEN = "close_token"  # noqa: S105
    ENDS_MESSAGE = "ends_message"
    ANSWER_TAG = "answer_tag"
    OPEN_WORDS = "open_words"
    OPEN_IF_ENDED = "open_if_ended"
    OPEN_HEADING = "open_heading"
    ENDS_WORDS = "ends_words"


OPENS = frozenset((Role.OPEN_TAG, Role.OPEN_TOKEN))
CLOSES = frozenset((Role.CLOSE_TAG, Role.CLOSE_TOKEN))
TAGS = frozenset((Role.OPEN_TAG, Role.CLOSE_TAG, Role.ANSWER_TAG))
COUNT_IF_ENDED = frozenset((Role.OPEN_IF_ENDED, Role.OPEN_HEADING))
# Marks that end what is open -> what they end.
ENDS = {
    Role.ENDS_MESSAGE: frozenset((Role.OPEN_TOKEN,)),
    Role.ANSWER_TAG: frozenset((Role.OPEN_TAG, Role.OPEN_TOKEN, Role.OPEN_WORDS)),
    Role.ENDS_WORDS: frozenset((Role.OPEN_WORDS, Role.OPEN_IF_ENDED, Role.OPEN_HEADING)),
}

_NAMES = "|".join((
    r"think(?:ing)?(?:[_-]?process)?",
    r"thoughts?(?:[_-]?process)?",
    r"reasoning(?:[_-]?process|[_-]?content)?",
    r"reflections?|reflect|contemplations?|deliberations?|considerations?|rationale|critique|cot",
    r"scratch[_-]?pad|monologue|brainstorm(?:ing)?|analysis|plan|planning|drafts?",
))  # fmt: skip
_ANSWERS = r"(?:final[_-]?)?(?:answer|response|solution|output|reply)|final"
_LT, _GT = r"(?:<|&lt;)", r"(?:>|&gt;)"
# With a prefix: `<seed:think>`, `<mm:think>`, `<longcat_think>`, `<inner_monologue>`, `<chain_of_thought>`.
_NAMED = rf"(?:\w{{1,20}}[:_])?(?:{_NAMES})"
_ATTRIBUTES = r"(?:[ \t][^<>\n]{0,200}(?<!/))?"
_UPPER = r"(?-i:THINK|THINKING|THOUGHTS?|REASONING)"
_ASSISTANT = r"(?:<\|start\|>assistant[ \t]?)?"
# What a channel's header may hold behind the channel's name.
_REST = r"(?:[^<\n]{0,200}(?:<\|constrain\|>\w{1,20})?<\|message\|>)?"

_TABLE: dict[Role, tuple[str, ...]] = {
    Role.OPEN_TAG: (
        rf"{_LT}{_NAMED}{_ATTRIBUTES}{_GT}",
        rf"(?<![\w\])])\[{_UPPER}\]",  # Mistral; `a[THINK]` is code
    ),
    Role.CLOSE_TAG: (rf"{_LT}\\?/{_NAMED}[ \t]{{0,9}}{_GT}", rf"\[/{_UPPER}\]"),
    Role.OPEN_TOKEN: (
        r"◁think▷",  # Kimi
        r"<details\b[^<>\n]{0,100}\btype=\W?reasoning[^<>\n]{0,100}>",  # Open WebUI
        r"<\|(?:begin_of_|start_of_|begin_|start_)?(?:think|thinking|thought|reasoning)(?:_start|_begin)?\|>",
        r"<\|(?:inner_prefix|content_thinking|plamo:begin_think:plamo)\|>",  # Apertus, Inkling, PLaMo
        r"<\|(?:END_RESPONSE|END_TEXT|end_of_solution)\|>",  # what comes after an answer is none
        r"<\|open\|>think<\|sep\|>|<\|close\|>response<\|sep\|>",  # Kimi K3
        r"<unused94>(?:thought)?|<\|channel>(?:thought)?",  # MedGemma, Gemma 4
        rf"{_ASSISTANT}<\|channel\|>(?!final)\w{{1,40}}{_REST}",  # gpt-oss (harmony)
        rf"{_ASSISTANT}\bto=self<\|message\|>",  # Muse
        r"<\|im_start\|>(?:assistant/)?think\b",  # HyperCLOVA X, s1
    ),
    Role.CLOSE_TOKEN: (
        r"◁/think▷",
        r"<\|(?:end_of_|end_|stop_|/)(?:think|thinking|thought|reasoning)\|>",
        r"<\|(?:think|thinking|thought|reasoning)_(?:end|stop)\|>",
        r"<\|(?:inner_suffix|content_text|plamo:end_think:plamo)\|>",
        r"<\|(?:START_RESPONSE|START_TEXT|begin_of_solution)\|>",  # Cohere, OpenThinker
        r"<\|close\|>think<\|sep\|>|<\|open\|>response<\|sep\|>",
        r"<unused95>|<channel\|>",
        rf"{_ASSISTANT}<\|channel\|>final{_REST}",
        rf"{_ASSISTANT}\bto=user<\|message\|>",
    ),
    Role.ENDS_MESSAGE: (
        r"<\|(?:end|return|call|eom|eot|im_end|end_message)\|>",
        r"<\|start\|>assistant(?:<\|message\|>)?|<\|im_start\|>(?:assistant|answer)\b",
        r"</details>|<\|content\|>",  # Open WebUI, Solar
    ),
    Role.ANSWER_TAG: (rf"{_LT}(?:{_ANSWERS}){_GT}",),
}  # fmt: skip
_GROUPS = "|".join(f"(?P<{role}>{'|'.join(forms)})" for role, forms in _TABLE.items())
# Any mark but words, within one line; the name of its last group is its role. Every part has a bound.
MARK = re.compile(rf"(?=[<\[◁&t])(?:{_GROUPS})", re.IGNORECASE)

# What a server leaves at the end of a reply where it leaves special tokens in.
ENDING_TOKENS = (
    "<|end|>", "<|return|>", "<|eom|>", "<|eot|>", "<|im_end|>", "<|endoftext|>", "<|end_message|>",
    "<|content_model_end_sampling|>", "<|eot_id|>", "<turn|>", "<eos>", "<|end_of_msg|>", "<end_of_turn>",
    "<|END_RESPONSE|>", "<|END_TEXT|>", "<|end_of_solution|>", "<|close|>response<|sep|>",
    "<\uff5cend\u2581of\u2581sentence\uff5c>",
)  # fmt: skip
ANSWER_WRAP = re.compile(rf"\s*<({_ANSWERS})>[ \t]*\n?", re.IGNORECASE)


@dataclass(frozen=True)
class OpeningWords:
    """A sentence with which a reply begins its thoughts, and the sentence that ends them."""

    opening: re.Pattern[str]
    ending: re.Pattern[str]
    role: Role = Role.OPEN_WORDS


_I = re.IGNORECASE
_FRAME = r"[ \t]{0,3}(?:#{1,6}[ \t]{1,3}|\*\*|__)?"
# A heading is a line, or what stands before a colon.
_FRAME_END = r"(?:(?:\*\*|__)?:(?:\*\*|__)?[ \t]|(?:\*\*|__)?:?(?:\*\*|__)?[ \t\r]{0,3}$)"
# In their order. A word that code can begin with counts only with what ends the thoughts, and a heading
# only where that leaves no code behind.
WORDS = (
    OpeningWords(  # Granite 3.2; vLLM takes both spellings as well
        re.compile(r"\s*Here(?:['\u2019]s| is) my thought process:", _I),
        re.compile(r"Here(?:['\u2019]s| is) my response:", _I),
    ),
    OpeningWords(  # Ollama's client
        re.compile(r"\s*Thinking\.\.\.[ \t]*\n"), re.compile(r"^\.\.\.done thinking\.")
    ),
    OpeningWords(  # gpt-oss where the server has taken its tokens away
        re.compile(r"\s*analysis(?=[A-Z\s])"), re.compile(r"assistantfinal"), Role.OPEN_IF_ENDED
    ),
    OpeningWords(
        re.compile(
            rf"\s*{_FRAME}(?:my )?(?:thinking|thoughts?|(?:thought|thinking) process|reasoning|analysis"
            rf"|chain of thought|scratchpad|(?:inner|internal) monologue){_FRAME_END}", _I | re.MULTILINE
        ),
        re.compile(
            rf"^{_FRAME}(?:(?:my|the|final|full|complete) ){{0,2}}(?:answer|response|solution|code"
            rf"|implementation){_FRAME_END}", _I
        ),
        Role.OPEN_HEADING,
    ),
)  # fmt: skip
