"""A model's answer -> the program in it, exactly as it was written.

A block is chosen as in the track `dual`; blocks that are parts of the same program are joined to it:

- a block that defines, at its top level, a name that the program uses and does not have;
- a block that defines functions or classes which use those of the program.

A block that defines a function of the program once more is another version of it, a block that imports it is
another file, and a block that only calls it is an example: these are left out. The result must compile.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Sequence
from dataclasses import dataclass

from arena.models.blocks import Block, bare, find_blocks, plain_text
from arena.models.counter_examples import drop_counter_examples
from arena.models.program_extraction import MAX_BLOCKS, extract
from arena.models.program_extraction import ProgramState as Found
from arena.models.thoughts import drop_thoughts
from arena.models.wrapped import fence_json_code
from arena.tracks.exposure.flow.facts import NotPython
from arena.tracks.exposure.flow.reading import compile_program
from arena.tracks.exposure.sampling.state import CompletionState

# Characters of an answer with its thoughts.
MAX_THOUGHTS = 4 << 20
# Characters of an answer that are looked at, some 15,000 tokens: compiling can take quadratic time.
MAX_ANSWER = 64 << 10
_BUILTINS = frozenset(dir(builtins))
_CODE = re.compile(
    r"^[ \t]*(?:(?:async )?def \w+\(|class \w+[(:]|from [\w.]+ import \w|@\w"
    r"|import \w[\w.]*(?: as \w+)?(?:, ?\w[\w.]*)*[ \t]*$)",
    re.MULTILINE,
)
_STATES = {Found.OK: CompletionState.CODE, Found.CUT: CompletionState.CUT}


@dataclass(frozen=True)
class ExtractedCompletion:
    """`source` is "" without code; `notes` are lines for people."""

    source: str
    state: CompletionState
    notes: tuple[str, ...] = ()


def program(reply: str, cut: bool = False) -> ExtractedCompletion:
    """The Python program in an answer. Raises nothing. `cut`: the model was stopped at its limit."""
    text, long = looked_at(reply)
    text = fence_json_code(text)
    result = extract(text, "python", cut=cut or bool(long))
    if result.state in _STATES:
        source, notes = _with_parts(result.source, text)
        return ExtractedCompletion(source, _STATES[result.state], (*long, *result.notes, *notes))
    if result.state is Found.NO_CODE and (code := _bare(text)):
        notes = ("the code stands in the answer without a fence",)
        return ExtractedCompletion(
            code, CompletionState.CUT if cut or long else CompletionState.CODE, (*long, *notes)
        )
    return ExtractedCompletion("", CompletionState.NO_CODE, (*long, *result.notes))


def looked_at(reply: str) -> tuple[str, tuple[str, ...]]:
    """An answer without thoughts, and a note where the rest is cut at MAX_ANSWER."""
    text = drop_thoughts(reply[:MAX_THOUGHTS])
    if len(text) <= MAX_ANSWER:
        return text, ()
    return text[:MAX_ANSWER], (f"only the first {MAX_ANSWER} characters were read",)


def _bare(reply: str) -> str:
    text = plain_text(reply)
    code = "" if find_blocks(text) else bare(text)
    return code if _CODE.search(code) else ""


@dataclass(frozen=True)
class _Part:
    """A block that compiles: names that it has at its top level, its functions and classes, what it lacks."""

    text: str
    names: frozenset[str]
    makes: frozenset[str]
    lacks: frozenset[str]


def _with_parts(source: str, reply: str) -> tuple[str, tuple[str, ...]]:
    blocks = [b for b in find_blocks(reply)[:MAX_BLOCKS] if b.python or b.plain]
    blocks = drop_counter_examples(blocks, [])
    # The block that was chosen is compared as it is: one that was mended is joined to nothing.
    places = [number for number, block in enumerate(blocks) if block.text == source]
    if len(blocks) < 2 or not places:
        return source, ()
    parts = [_part(block) for block in blocks]
    chosen = _connected_blocks(parts, places[-1])
    joined = "\n\n".join(blocks[number].text for number in chosen)
    # Parts that do not go together are no program: the chosen block alone is.
    if len(chosen) < 2 or not _compiles(joined):
        return source, ()
    return joined, (f"{len(chosen)} of {len(blocks)} blocks were joined",)


def _connected_blocks(parts: Sequence[_Part | None], first: int) -> list[int]:
    """Numbers of the blocks that form a program together with the `first`, in their order."""
    start = parts[first]
    if start is None:
        return [first]
    chosen = {first}
    names, makes, lacks = set(start.names), set(start.makes), set(start.lacks)
    grown = True
    while grown:
        grown = False
        for number, part in enumerate(parts):
            # A block that defines a function once more is another version of the program.
            if number in chosen or part is None or makes & part.makes:
                continue
            if not (lacks - names) & part.names and not (part.makes and part.lacks & makes):
                continue
            chosen.add(number)
            names |= part.names
            makes |= part.makes
            lacks |= part.lacks
            grown = True
    return sorted(chosen)


def _part(block: Block) -> _Part | None:
    """None of what does not compile, and of tests."""
    try:
        tree = compile_program(block.text)
    except NotPython:
        return None
    defined = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    defined_async = [n for n in tree.body if isinstance(n, ast.AsyncFunctionDef)]
    makes = {node.name for node in (*defined, *defined_async)}
    # Tests call the program and would be read as a part of it.
    if any(name.lower().startswith("test") for name in makes):
        return None
    top = {name for node in tree.body for name in _bound(node, deep=False)} | makes
    used, bound = set(), set(top)
    for node in ast.walk(tree):
        bound.update(_bound(node, deep=True))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            used.add(node.id)
    return _Part(block.text, frozenset(top), frozenset(makes), frozenset(used - bound - _BUILTINS))


def _bound(node: ast.AST, deep: bool) -> set[str]:
    """Names that a node itself binds; of a statement, where not `deep`, those that it assigns or imports."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    if not deep:
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        return {target.id for target in targets if isinstance(target, ast.Name)}
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return {node.id}
    if isinstance(node, ast.arg):
        return {node.arg}
    name = getattr(node, "name", None)  # of functions, classes, exceptions and patterns
    return {name} if isinstance(name, str) else set()


def _compiles(source: str) -> bool:
    try:
        compile_program(source)
    except NotPython:
        return False
    return True
