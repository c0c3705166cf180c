"""MA-SZZ: AG-SZZ that looks through meta-changes: merges, and commits that change no code (a formatter's).

A line that such a commit touched is blamed on what was there before (git's --ignore-rev); where git
finds nothing before, the meta-change is still no candidate.
"""

from szz.blame import Origin
from szz.formatting import changes_no_code
from szz.repository import Repository
from szz.variant import SzzQuestion, Variant, VariantExample, removed_code

# Meta-changes on top of each other that are looked through.
MAX_ROUNDS = 20


def is_meta(repository: Repository, commit: str) -> bool:
    """Whether a commit is a merge, or changes no code."""
    return len(repository.commit(commit).parents) > 1 or changes_no_code(repository, commit)


def beneath(question: SzzQuestion) -> list[Origin]:
    """Origins with meta-changes looked through. Raises SzzError."""
    meta: dict[str, bool] = {}
    origins = question.origins()
    # Once a formatter's commit is ignored, an earlier formatter's may come to light.
    for _ in range(MAX_ROUNDS):
        fresh = {origin.commit for origin in origins} - meta.keys()
        meta |= {commit: is_meta(question.repository, commit) for commit in fresh}
        if not any(meta[commit] for commit in fresh):
            break
        ignored = [f"--ignore-rev={commit}" for commit, is_ignored in meta.items() if is_ignored]
        origins = question.origins(*ignored)
    return [origin for origin in origins if not meta.get(origin.commit)]


PLUGIN = Variant(
    name="ma-szz",
    source="da Costa, McIntosh, Shang, Kulesza, Coelho and Hassan: A framework for evaluating SZZ, TSE 2017",
    diff=("-w",),
    blame=("-w",),
    lines=removed_code,
    ask=beneath,
    examples=(
        VariantExample(
            ("a;\nb;\n", "a;\nb; // c\n", "a;\nB;\n"), frozenset({0}), "a comment beside code"
        ),
        VariantExample(("a;\nb;\n", "a;\nb; // c\n", "a;\nb; // d\n", "a;\nB;\n"), frozenset({0})),
        VariantExample(("a;\nb;\n", "a;\nc;\n", "a;\nB;\n"), frozenset({1})),
        VariantExample(
            ("f(a,\n  b);\n", "f(a, b);\n", "f(a, c);\n"), frozenset({0}), "lines that are joined"
        ),
        VariantExample(
            ("f(a, b);\n", "f(\n  a,\n  b\n);\n", "f(\n  a,\n  c\n);\n"), frozenset({0}), "broken"
        ),
        VariantExample(
            ("#define A 1\nb;\n", "#define A\n1 b;\n", "#define A\n1 c;\n"), frozenset({1})
        ),
    ),
)
