"""V-SZZ: each deleted line is followed back, through the lines that it replaced, to its first form.

A vulnerability is often as old as the line that holds it, however often that line was edited since. A
line goes back to the line of the replaced block that resembles it best, when the two are alike enough.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from szz.blame import Origin, blame
from szz.change import ChangedBlock, ChangedFile, Differ
from szz.repository import Repository
from szz.variant import SzzQuestion, Variant, VariantExample, removed_code

# Least similarity of two forms of one line (Bao et al., section 3.2).
MIN_SIMILARITY = 0.75

# Edits of one line that are followed.
MAX_STEPS = 200

# Lines of a replaced block among which the earlier form is looked for.
MAX_BLOCK = 400


class _Past:
    """Goes back from line to line; diffs and contents are read once."""

    def __init__(self, repository: Repository, options: tuple[str, ...]) -> None:
        self._repository, self._options = repository, options
        self._differ = Differ(repository)
        self._changes: dict[str, dict[bytes, ChangedFile]] = {}
        self._lines: dict[str, list[bytes]] = {}

    def close(self) -> None:
        self._differ.close()

    def first(self, origin: Origin) -> Origin:
        """The first form of a single line. Raises SzzError."""
        for _ in range(MAX_STEPS):
            earlier = self._earlier(origin)
            if earlier is None:
                break
            origin = earlier
        return origin

    def _earlier(self, origin: Origin) -> Origin | None:
        parents = self._repository.commit(origin.commit).parents
        if not parents:
            return None
        change = self._change(origin.commit, parents[0]).get(origin.path)
        block = (
            next((b for b in change.blocks if _holds(b, origin.source)), None) if change else None
        )
        if change is None or block is None or not block.old:
            return None
        text = self._text(origin.commit, origin.path)[origin.source - 1]
        old = self._content(change.blob)[block.old_first - 1 : block.old_first - 1 + block.old]
        number = _find_closest_line(text, old[:MAX_BLOCK])
        if number is None:
            return None
        line = block.old_first + number
        origins = blame(self._repository, parents[0], change.path, [(line, line)], self._options)
        return origins[0]

    def _change(self, commit: str, parent: str) -> dict[bytes, ChangedFile]:
        if commit not in self._changes:
            changes = self._differ.diff(commit, parent)
            self._changes[commit] = {change.after: change for change in changes if change.blocks}
        return self._changes[commit]

    def _text(self, commit: str, path: bytes) -> list[bytes]:
        tree = self._repository.git("ls-tree", "-z", commit, path)
        return self._content(tree.split(b"\t")[0].split()[2].decode())

    def _content(self, blob: str) -> list[bytes]:
        if blob not in self._lines:
            self._lines[blob] = self._repository.read(blob)[1].split(b"\n")
        return self._lines[blob]


def _holds(block: ChangedBlock, line: int) -> bool:
    return block.new_first <= line < block.new_first + block.new


def _find_closest_line(text: bytes, others: list[bytes]) -> int | None:
    """Index of the line closest to `text` (white space aside), or None when none is alike enough."""
    # Without `autojunk`, which ignores frequent characters in lines of 200 and more.
    matcher: SequenceMatcher[str] = SequenceMatcher(autojunk=False)
    matcher.set_seq2(text.strip().decode("latin-1"))
    best, best_index = MIN_SIMILARITY, None
    for index, candidate in enumerate(others):
        matcher.set_seq1(candidate.strip().decode("latin-1"))
        # Two cheap upper bounds first: `ratio` takes time by the square of a line's length.
        if matcher.real_quick_ratio() >= best and matcher.quick_ratio() >= best:
            ratio = matcher.ratio()
            if ratio > best or (ratio == best and best_index is None):
                best, best_index = ratio, index
    return best_index


def first_forms(question: SzzQuestion) -> list[Origin]:
    """The first form of each traced line. Raises SzzError."""
    past = _Past(question.repository, question.options)
    try:
        return [
            past.first(Origin(o.commit, o.line + n, 1, o.path, o.source + n))
            for o in question.origins()
            for n in range(o.count)
        ]
    finally:
        past.close()


PLUGIN = Variant(
    name="v-szz",
    source="Bao, Xia, Hassan and Yang: V-SZZ, ICSE 2022",
    blame=("-w",),
    diff=("-w",),
    lines=removed_code,
    ask=first_forms,
    examples=(
        VariantExample(
            ("a;\n", "a;\nint size = n * 2;\n", "a;\nint size = n * 4;\n", "a;\nint size = 0;\n"),
            frozenset({1}),
            "an edit of the line is looked through",
        ),
        VariantExample(
            ("a;\n", "a;\nfoo(bar);\n", "a;\nint x = 17;\n", "a;\n"), frozenset({2}), "unlike lines"
        ),
    ),
)
