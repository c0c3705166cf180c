"""What became of a sample, and the modes in which samples are requested."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, get_args

Mode = Literal["instruct", "completion", "completion-chat"]
MODES: tuple[Mode, ...] = get_args(Mode)


class CompletionState(StrEnum):
    """cut: there is a program, and the model was stopped at its limit of tokens within it.

    missing: the model did not answer, which is no result of its work.
    """

    CODE = "code"
    CUT = "cut"
    NO_CODE = "no-code"
    REFUSED = "refused"
    FILTERED = "filtered"
    EMPTY = "empty"
    OUT_OF_TOKENS = "out-of-tokens"
    MISSING = "missing"
