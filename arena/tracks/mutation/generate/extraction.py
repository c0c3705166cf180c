"""A model's reply -> a test module, with a state and with notes on what was done to it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from enum import StrEnum

from arena.models.blocks import (
    Block,
    bare,
    find_blocks,
    guessed_language,
    plain_text,
)
from arena.models.counter_examples import drop_counter_examples
from arena.models.wrapped import fence_json_code
from arena.tracks.mutation.generate import modules
from arena.tracks.mutation.generate.source import MAX_CODE, Places, kept_part, parse
from arena.tracks.mutation.tasks.program import Program
from parsers.python_syntax import syntax_tree

# Characters of a reply that are looked at.
MAX_REPLY = 4 << 20
MAX_BLOCKS = 200
MAX_NOTES = 50
_TEST = re.compile(r"^[ \t]*(?:async )?def (test\w*)", re.MULTILINE)
# Not before "part": "the complete first part" announces no other version.
# Of the line above a block: it is another version of what came before.
_FINAL = re.compile(
    r"\b(?:final|revised|corrected|improved|updated|rewritten|refined|polished|fixed|complete[d]?)\b"
    r"(?!.{0,20}\bpart\b)",
    re.IGNORECASE,
)


class AnswerState(StrEnum):
    """The state of a reply. Only OK and CUT hold a test module that can be run."""

    OK = "ok"
    CUT = "cut"  # the reply broke off; what is whole of it is kept
    NO_CODE = "no-code"
    OTHER_LANGUAGE = "other-language"
    NOT_PYTHON = "does-not-compile"
    NO_TEST = "no-test"


USABLE = frozenset((AnswerState.OK, AnswerState.CUT))


@dataclass(frozen=True)
class Extracted:
    """A test module. `source` is "" without code; `notes` are lines for people."""

    source: str
    state: AnswerState
    notes: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        return self.state in USABLE


def extract(reply: str, program: Program, cut: bool = False) -> Extracted:
    """The test module in a reply about `program`. Raises nothing, and takes linear time.

    cut: the model was stopped at its limit of tokens.
    """
    notes: list[str] = []
    if len(reply) > MAX_REPLY:
        notes.append(f"only the first {MAX_REPLY} characters of the reply were read")
        reply, cut = reply[:MAX_REPLY], True
    text = fence_json_code(plain_text(reply))
    blocks = find_blocks(text)
    if len(blocks) > MAX_BLOCKS:
        notes.append(f"only the first {MAX_BLOCKS} blocks of the reply were read")
        blocks = blocks[:MAX_BLOCKS]
    extracted = (
        _extract_blocks(blocks, text, cut, notes) if blocks else _extract_code(text, cut, notes)
    )
    if extracted.state in USABLE:
        extracted = clean_module(extracted, program)
    return Extracted(extracted.source, extracted.state, tuple(extracted.notes[:MAX_NOTES]))


def clean_module(extracted: Extracted, program: Program) -> Extracted:
    """A test module without copies of the program, with its imports mapped, and with its state."""
    shape = modules.ModuleShape.from_program(program)
    source, copies = modules.remove_copies(extracted.source, program, shape)
    source, imports = modules.with_target(source, program, shape)
    notes = (*extracted.notes, *copies, *dict.fromkeys(imports))
    tree = parse(source)
    if tree is None:
        return Extracted(source, AnswerState.NOT_PYTHON, notes)
    state = extracted.state if modules.has_tests(tree) else AnswerState.NO_TEST
    return Extracted(source, state, notes)


def _extract_code(text: str, cut: bool, notes: list[str]) -> Extracted:
    """From code without fences."""
    code = bare(text)
    if not code.strip():
        return _report_no_python("", text, notes)
    return _extract_block(Block("python", code, closed=False), text, cut, notes)


def _extract_blocks(blocks: list[Block], text: str, cut: bool, notes: list[str]) -> Extracted:
    # Blocks without a language only where none says that it is Python: they also hold commands and output.
    python = [b for b in blocks if b.python] or [b for b in blocks if b.plain]
    if not python:
        named = ", ".join(dict.fromkeys(block.language for block in blocks))
        return Extracted("", AnswerState.OTHER_LANGUAGE, (*notes, f"the code is {named}"))
    python = _drop_drafts(drop_counter_examples(python, notes), notes)
    last = python[-1]
    broken_off = last is blocks[-1] and not last.closed
    whole = [block for block in python if parse(block.text) is not None]
    joined = _join_blocks(whole)
    if joined and not broken_off:
        if len(whole) < len(python):
            notes.append(f"{len(python) - len(whole)} blocks that do not compile were left out")
        return Extracted(joined, AnswerState.OK, tuple(notes))
    if broken_off:
        helpers = _join_blocks(whole[:-1] if whole and whole[-1] is last else whole)
        return _extract_block(Block("python", helpers + last.text, False), text, cut, notes)
    return _best_broken(python, text, notes)


def _drop_drafts(blocks: list[Block], notes: list[str]) -> list[Block]:
    """Blocks without earlier versions of a later complete block, and without a later block that broke off."""
    drafts = list(blocks)
    if len(drafts) > 1 and parse(drafts[-1].text) is None:
        names = set(_TEST.findall(drafts[-1].text))
        if any(names & _tests(block) for block in drafts[:-1]):
            drafts.pop()
            notes.append("the last version broke off: the one before it was taken")
    # From the last on: of a draft and a final version the last whole one counts.
    for number in range(len(drafts) - 1, 0, -1):
        later = drafts[number]
        if parse(later.text) is None or not (tests := _tests(later)):
            continue
        final = bool(_FINAL.search(later.before) or _FINAL.search(later.info))
        older = [b for b in drafts[:number] if _tests(b) and (final or tests & _tests(b))]
        if older:
            notes.append(f"{len(older)} earlier versions were left out")
        return [block for block in drafts if block not in older]
    return drafts


def _tests(block: Block) -> set[str]:
    """Names of the tests of a block that compiles."""
    return set(_TEST.findall(block.text)) if parse(block.text) is not None else set()


def _join_blocks(blocks: list[Block]) -> str:
    """Blocks with tests, and those without that only import, define or set something; "" without any."""
    trees = [(block, syntax_tree(block.text)) for block in blocks]
    if not any(modules.has_tests(tree) for _, tree in trees):
        return "\n".join(block.text for block, tree in trees if _defines(tree))
    return "\n".join(
        block.text for block, tree in trees if modules.has_tests(tree) or _only_defines(tree)
    )


def _defines(tree: ast.Module) -> bool:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return any(isinstance(node, kinds) for node in tree.body)


def _only_defines(tree: ast.Module) -> bool:
    return all(
        isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)
        or (isinstance(node, ast.Assign) and not _calls(node))
        for node in tree.body
    )


def _calls(node: ast.AST) -> bool:
    return any(isinstance(child, ast.Call) for child in ast.walk(node))


def _extract_block(block: Block, text: str, cut: bool, notes: list[str]) -> Extracted:
    """Extract the program from a block that may have broken off."""
    code = block.text
    tree = parse(code)
    if tree is not None and not (cut and not block.closed):
        return Extracted(code, AnswerState.OK, tuple(notes))
    remainder = _drop_last_function(code, tree) if tree is not None else kept_part(code[:MAX_CODE])
    if not remainder or code[len(remainder) :].count("\ndef test") > 1:
        return _report_no_python(code, text, notes)  # more is wrong than a missing end
    note = "the reply broke off: its last function was dropped"
    return Extracted(remainder, AnswerState.CUT, (*notes, note))


def _drop_last_function(code: str, tree: ast.Module) -> str:
    """Drop the last function of Python that was stopped at a limit: it may be incomplete."""
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.ClassDef) and len(last.body) > 1:
        last = last.body[-1]
    if not isinstance(last, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return code
    part = code[: Places(code).edit(last, "").start].rstrip() + "\n"
    return part if parse(part) is not None else ""


def _best_broken(python: list[Block], text: str, notes: list[str]) -> Extracted:
    """Closed blocks of which none makes a module: perhaps a fence stood in a text of the code itself."""
    first, last = text.find(python[0].text), max(text.rfind("\n```"), text.rfind("\n~~~"))
    across = text[first : last + 1] if 0 <= first < last else ""
    if across and parse(across) is not None:
        return Extracted(across, AnswerState.OK, tuple(notes))
    longest = max(python, key=lambda block: len(block.text))
    return _report_no_python(longest.text, text, notes)


def _report_no_python(code: str, text: str, notes: list[str]) -> Extracted:
    language = guessed_language(code or text)
    if language:
        return Extracted("", AnswerState.OTHER_LANGUAGE, (*notes, f"the code is {language}"))
    if not code.strip():
        return Extracted("", AnswerState.NO_CODE, tuple(notes))
    return Extracted(code, AnswerState.NOT_PYTHON, tuple(notes))
