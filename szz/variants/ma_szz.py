"""MA-SZZ: AG-SZZ that looks through meta-changes: merges, and commits that change no code.

A line that such a commit touched is blamed on what was there before (git's --ignore-rev); where git
finds nothing before, the meta-change is still no candidate.
"""

from szz.blame import Origin
from szz.change import Differ
from szz.repository import Repository
from szz.variant import SzzQuestion, Variant, VariantExample, removed_code

ROUNDS = 20
"""Meta-changes on top of each other that are looked through."""


def is_meta(repository: Repository, commit: str) -> bool:
    """Whether a commit is a merge, or changes nothing but white space, blank lines and comments."""
    parents = repository.commit(commit).parents
    if len(parents) != 1:
        return len(parents) > 1
    differ = Differ(repository, ("-w", "--ignore-blank-lines"))
    try:
        sides = differ.diff(commit, parents[0]), differ.diff(parents[0], commit)
    finally:
        differ.close()
    changes = [change for side in sides for change in side if change.blocks]
    return not any(list(removed_code(repository, change)) for change in changes)


def beneath(question: SzzQuestion) -> list[Origin]:
    """Origins with meta-changes looked through. Raises SzzError."""
    meta: dict[str, bool] = {}
    origins = question.origins()
    for _ in range(ROUNDS):
        fresh = {origin.commit for origin in origins} - meta.keys()
        meta |= {commit: is_meta(question.repository, commit) for commit in fresh}
        if not any(meta[commit] for commit in fresh):
            break
        ignored = [f"--ignore-rev={commit}" for commit, is_one in meta.items() if is_one]
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
            ("a;\nb;\n", "a;\nb; // c\n", "a;\nB;\n"), frozenset({1}), "code beside a comment"
        ),
        VariantExample(("a;\nb;\n", "a;\nb; // c\n", "a;\nb; // d\n", "a;\nB;\n"), frozenset({2})),
        VariantExample(("a;\nb;\n", "a;\nc;\n", "a;\nB;\n"), frozenset({1})),
    ),
)
