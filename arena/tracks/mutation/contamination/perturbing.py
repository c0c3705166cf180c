"""A perturbed program: rewritings and new names, in all its versions and its tests alike."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import libcst as cst

from arena.tracks.mutation.contamination.names import Naming, naming
from arena.tracks.mutation.contamination.renaming import rename_identifiers
from arena.tracks.mutation.contamination.rewritings._rewriting import Rewriting
from arena.tracks.mutation.tasks.program import Program
from parsers.python_syntax import syntax_tree
from parsers.registry import lookup, names

PACKAGE = "arena.tracks.mutation.contamination.rewritings"
# How likely a rewriting is to be chosen for a program.
SHARE = 0.7
MAX_SOURCE = 100_000
# Of a syntax tree; deeper ones could exhaust the stack of libcst's parser.
MAX_DEPTH = 80


class Unfit(Exception):
    """A program cannot be perturbed; the message says why."""


@dataclass(frozen=True)
class Perturbed:
    """The program as it became; the rewritings that changed its secure version, and the new names."""

    program: Program
    rewritings: tuple[str, ...]
    names: Mapping[str, str]


def perturb_program(
    program: Program, seed: int = 0, structure: bool = True, identifiers: bool = True
) -> Perturbed:
    """The program written otherwise: the same for the same seed. Nothing is proven yet. Raises Unfit."""
    for source in _sources(program):
        _expect_bounded(source)
    try:
        restructured, applied = _restructure_program(program, seed) if structure else (program, ())
        new = naming(restructured, seed) if identifiers else Naming({}, {})
        restructured = _rename_identifiers(restructured, new)
        for source in _sources(restructured):
            # libcst checks the form of its trees, not all of Python's rules, such as a name that is parameter
            # and global.
            compile(source, "<perturbed>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, cst.ParserSyntaxError, cst.CSTValidationError) as error:
        raise Unfit(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}") from error
    except RecursionError as error:
        raise Unfit("nested too deeply") from error
    return Perturbed(restructured, applied, new.everywhere)


def _sources(program: Program) -> list[str]:
    mutants = [mutant.code for mutant in program.mutants]
    tests = [program.functional_tests, program.security_tests]
    return [program.secure, program.insecure, *tests, *mutants]


def _expect_bounded(source: str) -> None:
    if len(source) > MAX_SOURCE:
        raise Unfit(f"longer than {MAX_SOURCE} characters")
    try:
        # A stack of its own: walking a deep tree by recursion is what this guards against.
        waiting: list[tuple[ast.AST, int]] = [(syntax_tree(source), 0)]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unfit(f"{type(error).__name__}: no Python") from error
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise Unfit("nested too deeply")
        waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]


def _restructure_program(program: Program, seed: int) -> tuple[Program, tuple[str, ...]]:
    """Apply rewritings in an order and selection by the seed; any that changes something, if possible."""
    draw = random.Random(f"{seed}:{program.id}:structure")  # noqa: S311 - no secret
    rewriting_names = names(PACKAGE)
    # The order is drawn too, since one rewriting can make a place fit or unfit for the next.
    order = draw.sample(rewriting_names, len(rewriting_names))
    chosen = [name for name in order if draw.random() < SHARE]
    rest = [name for name in order if name not in chosen]
    rewritings: list[Rewriting] = []
    applied: list[str] = []
    module = cst.parse_module(program.secure)
    for name in (*chosen, *rest):
        # The rest is tried only until something changes, so that no program stays as it was by the draw
        # alone.
        if name in rest and applied:
            break
        rewriting = lookup(PACKAGE, name)
        rewritten = rewriting.rewrite(module)
        if rewritten.code != module.code:
            module = rewritten
            rewritings.append(rewriting)
            applied.append(name)
    return _rewritten(program, rewritings), tuple(applied)


def _rewritten(program: Program, rewritings: list[Rewriting]) -> Program:
    """All versions rewritten, so that a mutant differs from the secure version as it did."""

    def rewrite_source(source: str) -> str:
        module = cst.parse_module(source)
        for rewriting in rewritings:
            module = rewriting.rewrite(module)
        return module.code

    mutants = tuple(replace(mutant, code=rewrite_source(mutant.code)) for mutant in program.mutants)
    return replace(
        program,
        secure=rewrite_source(program.secure),
        insecure=rewrite_source(program.insecure),
        mutants=mutants,
    )


def _rename_identifiers(program: Program, new: Naming) -> Program:
    # In prose only names with an underscore are surely identifiers: `find` or `data` are words as well.
    mentioned_names = [
        name for name in new.tests if "_" in name.strip("_") or name == program.entry_point
    ]
    words = (
        re.compile(rf"\b(?:{'|'.join(map(re.escape, mentioned_names))})\b")
        if mentioned_names
        else None
    )

    def rename_words(text: str) -> str:
        return words.sub(lambda match: new.tests[match[0]], text) if words else text

    mutants = (replace(m, code=rename_identifiers(m.code, new.everywhere)) for m in program.mutants)
    return replace(
        program,
        entry_point=new.tests.get(program.entry_point, program.entry_point),
        instruction=rename_words(program.instruction),
        secure=rename_identifiers(program.secure, new.everywhere),
        insecure=rename_identifiers(program.insecure, new.everywhere),
        functional_tests=rename_identifiers(program.functional_tests, new.tests),
        security_tests=rename_identifiers(program.security_tests, new.tests),
        mutants=tuple(mutants),
    )
