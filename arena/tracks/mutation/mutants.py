"""The mutants of a program: what its operators produce, without duplicates and equivalents."""

from __future__ import annotations

import difflib
import hashlib
import itertools
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arena.tracks.mutation.bindings import lost_names, unbound
from arena.tracks.mutation.normal import normal_form, plain_form
from arena.tracks.mutation.tasks.program import Program

if TYPE_CHECKING:
    import libcst as cst

    from arena.tracks.mutation.operators._operator import Operator

DEFAULT_LIMIT = 12
MAX_SOURCE = 60_000
MAX_OF_A_VARIANT = 24
# Characters of a program, results of a variant, characters of all results: what goes beyond is not looked
# at, since a hostile program may have any number of places for a change.
MAX_MADE = 2_000_000

FAILED = "the operator failed"
UNCOMPILED = "does not compile"
UNCHANGED = "equal syntax tree"
UNDEFINED = "undefined names"
EQUIVALENT = "equivalent"
TWIN = "twin"
OVER = "over the limit"
REASONS = (FAILED, UNCOMPILED, UNCHANGED, UNDEFINED, EQUIVALENT, TWIN, OVER)


# What a rewriting may raise that is wrong; libcst's own are ValueErrors and the like.
FAULTS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    RecursionError,
    SyntaxError,
    AssertionError,
)


class BadProgram(ValueError):
    """A program that cannot be mutated; the message says which part of it, and why."""


@dataclass(frozen=True)
class Mutant:
    """A weak rewriting of a secure program.

    id: digest of the program's id, the operator, the variant and the code. diff: from the secure program,
    unified. same_as_insecure: its normal form is that of the program's insecure version.
    """

    id: str
    operator: str
    variant: str
    cwe: str
    code: str
    diff: str
    same_as_insecure: bool = False


@dataclass(frozen=True)
class MutationResult:
    """The operators' mutants of a program, and how many were removed for which reason.

    faults: "operator/variant: what was raised", of rewritings that failed.
    """

    mutants: tuple[Mutant, ...]
    removed: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


def operators_for(cwe: str) -> list[Operator]:
    """The operators that bring a CWE in, by name."""
    from arena.tracks.mutation.operators import all_operators

    return [operator for operator in all_operators() if cwe in operator.cwes]


def mutants_of(
    program: Program, operators: Sequence[Operator] | None = None, limit: int = DEFAULT_LIMIT
) -> list[Mutant]:
    """The mutants of a program, up to `limit`; see `make`."""
    return list(make(program, operators, limit).mutants)


def make(
    program: Program, operators: Sequence[Operator] | None = None, limit: int = DEFAULT_LIMIT
) -> MutationResult:
    """Mutate a program by `operators` (those of its CWE when None).

    The order is fixed: the first result of every variant, then the second of every variant, etc. Removed
    is what does not compile, equals the secure program (also in normal form), uses names that nothing binds,
    or is the twin of an earlier mutant. Raises BadProgram when the secure program itself cannot be parsed.
    """
    chosen = operators_for(program.cwe) if operators is None else operators
    module, secure = _parse_program(program)
    removed: Counter[str] = Counter()
    faults: list[str] = []
    accepted = AcceptedForms(program, secure)
    candidates: list[tuple[int, Mutant]] = []
    for rank, operator, variant, code in _rewritten(module, chosen, faults):
        reason = accepted.reason(code)
        if reason:
            removed[reason] += 1
        else:
            same = accepted.last == accepted.insecure
            candidates.append((rank, mutant_of(program, operator, variant, code, same)))
    # A stable sort by rank: under the limit each variant keeps its first result before any has its second.
    candidates.sort(key=lambda pair: pair[0])
    removed[FAILED], removed[OVER] = len(faults), max(0, len(candidates) - limit)
    mutants = tuple(mutant for _, mutant in candidates[: max(0, limit)])
    return MutationResult(mutants, {r: removed[r] for r in REASONS if removed[r]}, tuple(faults))


def _parse_program(program: Program) -> tuple[cst.Module, str]:
    """The secure program's tree, and its normal form."""
    import libcst as cst

    if len(program.secure) > MAX_SOURCE:
        raise BadProgram(f"{program.id}: secure: longer than {MAX_SOURCE} characters")
    try:
        _check_compiles(program.secure)
        secure = normal_form(program.secure)  # finds one too deep sooner than libcst does
        return cst.parse_module(program.secure), secure
    except (SyntaxError, ValueError, RecursionError, MemoryError, cst.ParserSyntaxError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadProgram(f"{program.id}: secure: {why}") from error


def _rewritten(
    module: cst.Module, operators: Sequence[Operator], faults: list[str]
) -> Iterator[tuple[int, str, str, str]]:
    """(rank, operator, variant, code) of all that the operators make; what fails goes to `faults`."""
    left = MAX_MADE
    for operator in operators:
        for variant, rewriting in operator.variants.items():
            codes: list[str] = []
            try:
                for result in itertools.islice(rewriting(module), MAX_OF_A_VARIANT):
                    codes.append(result.code)
                    left -= len(codes[-1])
                    if left <= 0:
                        break
            except FAULTS as error:  # must not lose the others' mutants
                faults.append(f"{operator.name}/{variant}: {type(error).__name__}: {error}"[:300])
            for rank, code in enumerate(codes):
                yield rank, operator.name, variant, code
            if left <= 0:
                return


def mutant_of(program: Program, operator: str, variant: str, code: str, same: bool) -> Mutant:
    """A mutant with its id and diff. same: whether it is the insecure version, in normal form."""
    # By content: stored results and labels of people stay valid when the order of operators changes.
    parts = "\0".join((program.id, operator, variant, code))
    digest = hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()[:16]
    return Mutant(digest, operator, variant, program.cwe, code, diff_of(program.secure, code), same)


def diff_of(secure: str, code: str) -> str:
    """The unified diff from the secure program to a mutant."""
    lines = difflib.unified_diff(
        secure.splitlines(), code.splitlines(), "secure.py", "mutant.py", n=2, lineterm=""
    )
    return "\n".join(lines) + "\n"


class AcceptedForms:
    """Normal forms of the mutants of a program that were accepted so far."""

    def __init__(self, program: Program, secure: str) -> None:
        self.source = program.secure
        self.plain = plain_form(program.secure)
        self.secure = secure
        self.unbound = unbound(program.secure)
        self.insecure = _form_or_none(program.insecure)
        self.forms: set[str] = set()
        self.last = ""

    def reason(self, code: str) -> str:
        """Why this code is not a new mutant; "" when it is, and then it is recorded."""
        try:
            _check_compiles(code)
            form = normal_form(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return UNCOMPILED
        # Before the normal form is compared: it distinguishes an operator that changed nothing from one whose
        # change has no effect.
        if plain_form(code) == self.plain:
            return UNCHANGED
        # A mutant that reads an unbound name dies in NameError: any test kills it, for no reason of security.
        if unbound(code) - self.unbound or lost_names(self.source, code):
            return UNDEFINED
        if form == self.secure:
            return EQUIVALENT
        if form in self.forms:
            return TWIN
        self.forms.add(form)
        self.last = form
        return ""


def _check_compiles(code: str) -> None:
    # Mutants may hold `is` with a literal or odd escapes, of which the compiler warns for each of thousands.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(code, "program", "exec", dont_inherit=True)


def _form_or_none(code: str) -> str | None:
    """The normal form; None for a program without a normal form, such as code that does not compile."""
    try:
        return normal_form(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
