"""A model's reply -> the program in it, exactly as it was written, with a state and notes.

The extraction is minimal (DualGauge, Section 4.2): it decides which piece of a reply is the program and
changes nothing in it; what is wrong with a program shows when it is run. The rules, in this order:

1. Thoughts are no part of a reply (`arena.models.thoughts`). Code in JSON is taken as a block of code.
2. A lone block of code is the program. Of several, those of the wanted language count (a block without a
   language counts where none has the wanted language), but not those shown as what not to do
   (`arena.models.counter_examples`).
3. Of those, the last whole block that is named as the wanted file; else the last whole block that defines all
   functions of the task; else the last whole block at least half as long as the longest. Blocks are
   never put together.
4. Without a block, the whole reply is the program when it is in the wanted language; else there is no
   code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from arena.models.blocks import PLAIN, PYTHON, Block, find_blocks, guessed_language
from arena.models.counter_examples import drop_counter_examples
from arena.models.languages import NAMES, Language
from arena.models.thoughts import drop_thoughts
from arena.models.token_scanner import is_balanced
from arena.models.wrapped import fence_json_code
from parsers.python_syntax import parse_python

# Characters of a reply that are looked at.
MAX_REPLY = 4 << 20
MAX_BLOCKS = 200
FENCES: Mapping[Language, frozenset[str]] = {
    "python": PYTHON,
    "javascript": frozenset(("javascript", "js", "node", "nodejs", "mjs", "cjs", "node.js")),
    "cpp": frozenset(("cpp", "c++", "cc", "cxx", "c", "h", "hpp", "c++17", "cpp17")),
}
_OTHERS = """
bash=.sh sh=.sh shell=.sh console=.sh html=.html typescript=.ts ts=.ts java=.java go=.go rust=.rs ruby=.rb
php=.php csharp=.cs c#=.cs cs=.cs sql=.sql json=.json
"""
# A fence's language -> what a file in it is called; ".txt" for others.
SUFFIXES: Mapping[str, str] = {
    **dict.fromkeys(FENCES["python"], ".py"),
    **dict.fromkeys(FENCES["javascript"], ".js"),
    **dict.fromkeys(FENCES["cpp"], ".cpp"),
    **dict(pair.split("=", 1) for pair in _OTHERS.split()),
}
_LOOKS: Mapping[Language, re.Pattern[str]] = {
    "javascript": re.compile(
        r"^(?:\"use strict\"|'use strict'|(?:const|let|var|function|async|class|import|export|module)\b"
        r"|#!.*node|//|/\*)",
    ),
    "cpp": re.compile(r"^(?:#\s*(?:include|pragma|define)|using\s|namespace\s|//|/\*)"),
}
_FILE = re.compile(r"[\w./+-]{1,200}")
# How a name is defined in a language that is not parsed: by a word before, a value, or a body.
_DEFINED = (
    r"\b(?:def|class|function\*?|const|let|var)\s+{0}\b"
    r"|\b{0}\s*(?:=(?!=)|:|\([^;{{]{{0,500}}\)\s*(?:const\s*)?\{{)"
)
_COMMENT = re.compile(r"\s*(?:#|//|/\*|<!--)(?!!)")


class ProgramState(StrEnum):
    """The result of the extraction. Without code there is no program."""

    OK = "ok"
    CUT = "cut"  # the model was stopped at its limit of tokens within the program
    NO_CODE = "no-code"
    OTHER_LANGUAGE = "other-language"


@dataclass(frozen=True)
class ExtractedProgram:
    """`source` is "" without code; `suffix` is what its file is called; `notes` are lines for people."""

    source: str
    state: ProgramState
    suffix: str = ""
    notes: tuple[str, ...] = ()


def extract(
    reply: str, language: Language, functions: Sequence[str] = (), cut: bool = False
) -> ExtractedProgram:
    """The program in a reply. Raises nothing, and takes linear time.

    functions: names that the task's program must define. cut: the model was stopped at its limit of tokens.
    """
    notes: list[str] = []
    if len(reply) > MAX_REPLY:
        notes.append(f"only the first {MAX_REPLY} characters of the reply were read")
        reply, cut = reply[:MAX_REPLY], True
    text = _answer(reply)
    blocks = find_blocks(text)
    if len(blocks) > MAX_BLOCKS:
        notes.append(f"only the first {MAX_BLOCKS} blocks of the reply were read")
        blocks = blocks[:MAX_BLOCKS]
    if not blocks:
        return _extract_unfenced(text, language, cut, notes)
    mine = _blocks_of_language(blocks, language)
    if not mine:
        return _other(blocks, notes)
    chosen = _program(mine, language, functions, notes)
    source = (
        chosen.text
        if is_whole_program(chosen.text, language)
        else _across(chosen, text, language, notes)
    )
    broken_off = not chosen.closed and chosen is blocks[-1]
    if broken_off:
        notes.append("the reply broke off" if cut else "the last fence has no end")
    state = ProgramState.CUT if broken_off and cut else ProgramState.OK
    return ExtractedProgram(source, state, PurePosixPath(NAMES[language]).suffix, tuple(notes))


def _answer(reply: str) -> str:
    """The reply without thoughts; line feeds stay as they are, lone carriage returns become line feeds."""
    text = reply.removeprefix("\ufeff")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    return fence_json_code(drop_thoughts(text))


def _blocks_of_language(blocks: Sequence[Block], language: Language) -> list[Block]:
    mine = [block for block in blocks if block.language in FENCES[language]]
    if mine:
        return mine
    plain = [block for block in blocks if block.language in PLAIN]
    likely_blocks = [block for block in plain if _guess(block.text, language) == language]
    if likely_blocks or any(block.language not in PLAIN for block in blocks):
        return likely_blocks
    return [block for block in plain if not _guess(block.text, language)]


def _guess(text: str, language: Language) -> str:
    """The language of a text: the wanted language, another, or "" if it is not clear."""
    if _is_program(text, language):
        return language
    guessed = guessed_language(text)
    return language if guessed in FENCES[language] else guessed


def _program(
    blocks: list[Block], language: Language, functions: Sequence[str], notes: list[str]
) -> Block:
    """The block that is the program, by rules 2 and 3."""
    blocks = drop_counter_examples(blocks, notes)
    if len(blocks) == 1:
        return blocks[0]
    named = [block for block in blocks if file_name(block) == NAMES[language]]
    if named:
        notes.append(f"of {len(blocks)} blocks, the last named {NAMES[language]} was taken")
        return _last(named, language)
    names = [name for name in functions if name]
    defining = [b for b in blocks if names and _defines(b.text, names, language)]
    if defining:
        notes.append(f"of {len(blocks)} blocks, the last that defines what is asked was taken")
        return _last(defining, language)
    half = max(len(block.text) for block in blocks) / 2
    notes.append(f"of {len(blocks)} blocks, the last large one was taken")
    return _last([block for block in blocks if len(block.text) >= half], language)


def _last(blocks: Sequence[Block], language: Language) -> Block:
    """The last whole block; where none is whole, the last block."""
    ended = [block for block in blocks if block.closed and is_whole_program(block.text, language)]
    return (ended or blocks)[-1]


def _defines(text: str, names: Sequence[str], language: Language) -> bool:
    """Whether a text defines all these names itself, which an example of their use does not."""
    if language == "python" and not isinstance(tree := parse_python(text), str):
        return set(names) <= {name for node in tree.body for name in _bound(node)}
    return all(re.search(_DEFINED.format(re.escape(name)), text) for name in names)


def _bound(node: ast.stmt) -> set[str]:
    """Names that a statement of a module binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {target.id for target in targets if isinstance(target, ast.Name)}
    return set()


def file_name(block: Block) -> str:
    """The file name that a reply states for a block: at its fence, above it, or in its first comment."""
    first = block.text.lstrip().partition("\n")[0]
    comment = first if _COMMENT.match(first) else ""
    for line in (block.info, comment, block.before):
        for word in _FILE.findall(line[:500]):
            path = PurePosixPath(word.strip("."))
            if path.suffix and path.suffix[1:].isalpha() and len(path.suffix) <= 5 and path.stem:
                return path.name
    return ""


def _across(chosen: Block, text: str, language: Language, notes: list[str]) -> str:
    """Where a block is no whole program, a fence may have stood in a text of the program itself."""
    start = text.find(chosen.text.rstrip("\n"))
    end = max(text.rfind("\n```"), text.rfind("\n~~~")) + 1
    wider = text[start:end] if start >= 0 else ""
    if len(wider) <= len(chosen.text) or not is_whole_program(wider, language):
        return chosen.text
    notes.append("fences within the program were taken as a part of it")
    return wider


def is_whole_program(text: str, language: Language) -> bool:
    """Whether a text is a program without an obvious break: Python parses; brackets of others are closed."""
    if language == "python":
        return not isinstance(parse_python(text), str)
    return is_balanced(text, language)


def _is_program(text: str, language: Language) -> bool:
    """Whether a text without any label is a program in that language, and not prose."""
    if language == "python":
        tree = parse_python(text)
        return not isinstance(tree, str) and any(map(_does_something, tree.body))
    first = next((line for line in text.splitlines() if line.strip()), "")
    return bool(_LOOKS[language].match(first.lstrip())) and is_balanced(text, language)


def _does_something(node: ast.stmt) -> bool:
    return not isinstance(node, ast.Expr | ast.AnnAssign) or isinstance(
        getattr(node, "value", None), ast.Call
    )


def _extract_unfenced(
    text: str, language: Language, cut: bool, notes: list[str]
) -> ExtractedProgram:
    if not _is_program(text, language):
        return ExtractedProgram("", ProgramState.NO_CODE, "", tuple(notes))
    state = ProgramState.CUT if cut else ProgramState.OK
    notes.append("the whole reply is the program")
    return ExtractedProgram(text, state, PurePosixPath(NAMES[language]).suffix, tuple(notes))


def _other(blocks: Sequence[Block], notes: list[str]) -> ExtractedProgram:
    longest = max(blocks, key=lambda block: len(block.text))
    language = longest.language if longest.language not in PLAIN else ""
    language = language or guessed_language(longest.text)
    if not language:
        return ExtractedProgram("", ProgramState.NO_CODE, "", tuple(notes))
    notes.append(f"the code is {language[:40]}")
    suffix = SUFFIXES.get(language, ".txt")
    return ExtractedProgram(longest.text, ProgramState.OTHER_LANGUAGE, suffix, tuple(notes))
