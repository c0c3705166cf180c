"""The request to a model for a program, and the program in its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.models.completion import Completion, CompletionRequest
from arena.models.languages import Language
from arena.models.program_extraction import ExtractedProgram, extract
from arena.tracks.dual.generate.prompts import Prompt
from arena.tracks.dual.tasks.pack import DualTask

# Sampling parameters: the paper's temperature (Section 6.1), and room for a program.
PINS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 8192}
PURPOSE = "dual-generate"


def request_for(prompt: Prompt, sample: int) -> CompletionRequest:
    """The request for a program of a sample."""
    return CompletionRequest(prompt.messages, "", sample, PURPOSE)


def program_in(answer: Completion, task: DualTask, language: Language) -> ExtractedProgram:
    """The program in an answer."""
    functions = [function.name for function in task.spec.io.functions]
    return extract(answer.text, language, functions, answer.cut)
