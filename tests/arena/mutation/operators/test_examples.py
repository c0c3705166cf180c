"""Every operator's examples: before -> after by that variant, and programs that it leaves alone."""

from __future__ import annotations

import ast
import functools

import libcst as cst
import pytest

from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._operator import MutantExample, Operator, Rewriting
from parsers.registry import lookup, names

PACKAGE = "arena.tracks.mutation.operators"
OPERATORS: list[Operator] = [lookup(PACKAGE, name) for name in names(PACKAGE)]
LEAST_CHANGED, LEAST_LEFT = 6, 2


# Parsed once, so that what operators remember of a program serves all of them.
parsed = functools.cache(cst.parse_module)


def rewritings(operator: Operator) -> dict[str, Rewriting]:
    return {**operator.variants, **operator.alternatives}


def results(rewriting: Rewriting, source: str) -> list[str]:
    return [module.code for module in rewriting(parsed(source))]


@pytest.mark.slow
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)
def test_examples(operator: Operator) -> None:
    for example in operator.examples:
        if example.after:
            made = results(rewritings(operator)[example.variant], example.before)
            assert example.after in made, example
        else:
            left = {v: results(r, example.before) for v, r in operator.variants.items()}
            assert not any(left.values()), (example, left)


@pytest.mark.rotating(3)
@pytest.mark.slow
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)
def test_every_result_compiles_and_differs(operator: Operator) -> None:
    for before in dict.fromkeys(example.before for example in operator.examples):
        tree = ast.dump(ast.parse(before))
        for variant, rewriting in rewritings(operator).items():
            for code in results(rewriting, before):
                compile(code, variant, "exec")
                assert ast.dump(ast.parse(code)) != tree, (variant, code)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)
def test_declaration(operator: Operator) -> None:
    made = [e for e in operator.examples if e.after and e.variant in operator.variants]
    left = [e for e in operator.examples if not e.after]
    assert len({e.variant for e in made}) >= min(LEAST_CHANGED, len(operator.variants))
    assert len(left) >= LEAST_LEFT
    assert {e.variant for e in operator.examples} <= set(rewritings(operator))
    assert set(operator.alternatives) <= {e.variant for e in operator.examples}
    assert operator.alternatives and operator.witnesses and operator.attacks
    assert operator.cwes and all(cwe.startswith("CWE-") for cwe in operator.cwes)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)
def test_attacks_are_python(operator: Operator) -> None:
    for kind, values in operator.attacks.items():
        for value in values:
            assert ast.parse(value, mode="eval"), kind


def test_names_are_those_of_the_paper_and_perhaps_more() -> None:
    paper = """
        PSQLI RVALID INPUTVAL PATHCONCAT RMAUTH MISSINGAUTH HARDCODE WEAKCRYPTO WEAKKEY WEAKRANDOM
        RENCRYPT DESERIAL XXE SSRF EVALINJECT OPENREDIRECT NOCERTVALID INFOEXPOSE REGEXDOS IDOR
        CSRF_REMOVE LOGINJECT LDAPINJECT FILEUPLOAD WEAKPERM
    """
    assert {operator.name for operator in OPERATORS} >= set(paper.split())


ONE = "=== some\n  import x\n\n- y = x\n- z = x\n+ y = 1\n+ z = x\n"


def test_an_example_is_written_as_a_patch() -> None:
    before, after = "import x\n\ny = x\nz = x\n", "import x\n\ny = 1\nz = x\n"
    assert examples(ONE) == (MutantExample("some", before, after),)
    assert examples(f"{ONE}=== other of the same\n- z = x\n+ z = x\n+\n+ a = 1\n")[1] == (
        MutantExample("other", before, f"{before}\na = 1\n")
    )
    apart = "=== both of the same\n- import x\n...\n- z = x\n"
    assert examples(f"{ONE}{apart}")[1].after == "\ny = x\n"
    assert examples("=== some, left alone\n  x = 1\n") == (MutantExample("some", "x = 1\n", ""),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("=== some\n  x = x\n  x = x\n=== other of the same\n- x = x\n", "'x = x.n' once"),
        (f"{ONE}=== other of the same\n- z = 2\n", "'z = 2.n' once"),
        ("=== some\nx = 1\n", "neither with"),
    ],
)
def test_an_example_says_where_it_is_wrong(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        examples(text)
