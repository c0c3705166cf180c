"""PyDriller's SZZ, as a second opinion, with PyDriller's diff, filter of comment lines and blame.

It runs on the files that this project takes in; PyDriller chooses among their lines itself, so lines that
it does not trace still count in `lines`. It reads the repository through the shadow that borrows its objects,
where no setting, hook or attribute of the repository takes part.
"""

from __future__ import annotations

from szz.blame import Origin
from szz.driller import driller
from szz.repository import GitFailed
from szz.variant import SzzQuestion, Variant, VariantExample


def last_modified(question: SzzQuestion) -> list[Origin]:
    """The commits that PyDriller names for a file of the fix. Raises GitFailed where it gives up."""
    path = question.change.path.decode("utf-8", "surrogateescape")
    try:
        git = driller(question.repository)
        fix = git.get_commit(question.fix)
        files = [file for file in fix.modified_files if path in (file.old_path, file.new_path)]
        named = [git.get_commits_last_modified_lines(fix, file) for file in files]
    except Exception as error:  # it raises whatever its parsers and GitPython raise
        raise GitFailed(f"pydriller: {type(error).__name__}: {str(error)[:200]}") from error
    commits = sorted({commit for by_file in named for ids in by_file.values() for commit in ids})
    # PyDriller says which commits, and not for which lines: the first line stands for all.
    return [Origin(commit, 1, 1, question.change.path, 1) for commit in commits]


PLUGIN = Variant(
    name="pydriller",
    source="Spadini, Aniche and Bacchelli: PyDriller. ESEC/FSE 2018; get_commits_last_modified_lines",
    examples=(
        VariantExample(("a\nb\n", "a\nB\n", "a\nfixed\n"), frozenset({1})),
        VariantExample(
            ("a\nb\n", "a\n  b\n", "a\nc\n"), frozenset({0}), "white space counts nothing"
        ),
        VariantExample(("a\n", "a\n// b\n", "a\n// c\n"), frozenset(), "comments do not count"),
        VariantExample(("a\n", "a\nb\n"), frozenset(), "only adds lines"),
    ),
    ask=last_modified,
)
