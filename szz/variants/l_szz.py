"""L-SZZ: the candidate of AG-SZZ that changes more lines than the rest."""

from collections.abc import Sequence

from szz.blame import Origin
from szz.repository import Repository
from szz.variant import Variant, VariantExample, removed_code


def size(repository: Repository, commit: str) -> int:
    """Lines that a commit adds and deletes against its first parent (all of them for a root)."""
    parents = repository.commit(commit).parents
    # Binary files count as "-", which is no number.
    sides = (parents[0], commit) if parents else ("--root", commit)
    listed = repository.git("diff-tree", "-r", "--numstat", "--no-commit-id", *sides)
    counts = (line.split(b"\t")[:2] for line in listed.splitlines())
    return sum(int(number) for pair in counts for number in pair if number.isdigit())


def largest(repository: Repository, origins: Sequence[Origin]) -> Sequence[Origin]:
    """The origins of the largest commit; of equally large commits the first."""
    commits = list(dict.fromkeys(origin.commit for origin in origins))
    best = max(commits, key=lambda commit: size(repository, commit), default="")
    return [origin for origin in origins if origin.commit == best]


PLUGIN = Variant(
    name="l-szz",
    source="Davies, Roper and Wood: Comparing text-based and dependence-based approaches, JSEP 2014",
    diff=("-w",),
    blame=("-w",),
    lines=removed_code,
    choose=largest,
    examples=(
        VariantExample(
            ("a;\n", "a;\nb;\nx;\ny;\n", "A;\nb;\nx;\ny;\n", "1;\n2;\nx;\ny;\n"), frozenset({1})
        ),
    ),
)
