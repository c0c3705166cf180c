"""R-SZZ: the latest candidate of AG-SZZ."""

from collections.abc import Sequence

from szz.blame import Origin
from szz.repository import Repository
from szz.variant import Variant, VariantExample, removed_code


def latest(repository: Repository, origins: Sequence[Origin]) -> Sequence[Origin]:
    """The origins of a commit from which no further candidate descends; of several the last committed.

    Clocks run ahead, and rebases keep old dates: descent decides before time does.
    """
    commits = list(dict.fromkeys(origin.commit for origin in origins))
    if len(commits) < 2:
        return origins
    commits = repository.git("merge-base", "--independent", *commits).decode().split()
    newest = max(repository.commit(commit).time for commit in commits)
    tied = [commit for commit in commits if repository.commit(commit).time == newest]
    # The same second on two branches: git's order decides, the same on every machine.
    if len(tied) > 1:
        tied = repository.git("rev-list", "--topo-order", "--max-count=1", *tied).decode().split()
    return [origin for origin in origins if origin.commit == tied[0]]


PLUGIN = Variant(
    name="r-szz",
    source="Davies, Roper and Wood: Comparing text-based and dependence-based approaches, JSEP 2014",
    diff=("-w",),
    blame=("-w",),
    lines=removed_code,
    choose=latest,
    examples=(
        VariantExample(
            ("a;\n", "a;\nb;\nx;\ny;\n", "A;\nb;\nx;\ny;\n", "1;\n2;\nx;\ny;\n"), frozenset({2})
        ),
    ),
)
