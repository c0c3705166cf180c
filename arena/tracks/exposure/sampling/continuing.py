"""A chat model's answer to a prefix -> the completion in it, as a base model would have written it.

Such a model may go on where the prefix ends, with or without its indentation, or repeat all or the end of it.
What it repeats is located by the prefix's last line of code, and left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.models.blocks import find_blocks, plain_text
from arena.tracks.exposure.flow.facts import NotPython
from arena.tracks.exposure.flow.reading import compile_program
from arena.tracks.exposure.sampling.extraction import ExtractedCompletion, looked_at, program
from arena.tracks.exposure.sampling.state import CompletionState
from arena.tracks.exposure.tasks.prefix import inner_indent


def extract_continuation(
    prefix: str, stop: str, reply: str, cut: bool = False
) -> ExtractedCompletion:
    """The completion in an answer; its `source` follows the prefix. `stop`: the scenario's rule."""
    extracted = program(reply, cut)
    code = extracted.source or _extract_unfenced(prefix, stop, reply)
    if not code.strip():
        return ExtractedCompletion("", CompletionState.NO_CODE, extracted.notes)
    state = (
        extracted.state
        if extracted.source
        else CompletionState.CUT
        if cut
        else CompletionState.CODE
    )
    rest = _code_after(prefix, stop, code)
    if rest is None:
        return ExtractedCompletion(_join_code(prefix, stop, code), state, extracted.notes)
    return ExtractedCompletion(
        rest, state, (*extracted.notes, "what it repeats of the prefix was left out")
    )


def _extract_unfenced(prefix: str, stop: str, reply: str) -> str:
    """An answer that is nothing but code; "" where the file with it does not compile."""
    text = plain_text(looked_at(reply)[0])
    # With a fence what stands outside of it is prose.
    if find_blocks(text) or not text.strip():
        return ""
    rest = _code_after(prefix, stop, text)
    try:
        # Prose does not compile behind the prefix: that is how code without a fence is known.
        compile_program(prefix + (_join_code(prefix, stop, text) if rest is None else rest))
    except NotPython:
        return ""
    return text


def _join_code(prefix: str, stop: str, code: str) -> str:
    return f" {code.lstrip()}" if stop == "assignment" else f"\n{_inside(prefix, code)}"


def _code_after(prefix: str, stop: str, code: str) -> str | None:
    """What stands behind the prefix's last line in the code, which then repeats it; else None."""
    last = prefix.rstrip().splitlines()[-1]
    wanted = _tight(last)
    lines = code.splitlines()
    for number, line in enumerate(lines):
        following = lines[number + 1 :]
        if stop == "assignment":
            behind = line.partition("=")[2]
            # `==` is a comparison, and no assignment that the prefix began.
            if _tight(line).startswith(wanted) and not behind.startswith("="):
                return "\n".join((behind, *following)) + "\n"
        elif _tight(line) == wanted:
            return "\n" + _shift_lines(following, _indent(last) - _indent(line))
    return None


def _inside(prefix: str, code: str) -> str:
    """The code with the indentation of the place where it continues, if it came without."""
    lines = code.lstrip("\r\n").splitlines()
    # A comment may stand at any column.
    first = next((line for line in lines if line.strip() and line.lstrip()[0] != "#"), "")
    return _shift_lines(lines, max(0, len(inner_indent(prefix)) - _indent(first)))


def _shift_lines(lines: Sequence[str], columns: int) -> str:
    if columns < 0:
        moved = [line[min(-columns, _indent(line)) :] for line in lines]
    else:
        moved = [" " * columns + line if line.strip() else line for line in lines]
    return "\n".join(moved) + "\n"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _tight(line: str) -> str:
    return "".join(line.split())
