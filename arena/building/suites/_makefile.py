"""Targets, recipes and plain variables of a Makefile, read without make."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MAX_LINES = 20_000
MAX_VALUE = 4000
_VARIABLE = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*(?:::?|\?|\+)?=[ \t]*(.*)")
_RULE = re.compile(r"([A-Za-z0-9_.][\w .%/-]*?)[ \t]*::?(?![=:])(.*)")
_BETWEEN = re.compile(r"[ \t]*(?:(?:ifn?eq|ifn?def|else|endif)\b.*)?")  # does not end a recipe
_NAME = re.compile(r"\$(?:\(([A-Za-z_][\w.-]*)\)|\{([A-Za-z_][\w.-]*)\})")


@dataclass
class MakeTarget:
    """The prerequisites of a target, and the lines of its recipe."""

    needs: list[str] = field(default_factory=list)
    recipe: list[str] = field(default_factory=list)


@dataclass
class Makefile:
    variables: dict[str, str] = field(default_factory=dict)
    targets: dict[str, MakeTarget] = field(default_factory=dict)

    def expand_text(self, text: str) -> str:
        """`text` with its plain variables replaced, bounded; unknown variables stay as they are."""
        # A variable may name itself: four rounds bound what would expand for ever.
        for _ in range(4):
            text = _NAME.sub(lambda m: self.variables.get(m[1] or m[2], m[0]), text)[:MAX_VALUE]
        return text

    def recipe(self, name: str) -> str:
        return "\n".join(self.expand_text(line) for line in self.targets[name].recipe[:200])


def read_makefile(text: str) -> Makefile:
    """Read a Makefile; conditions are not decided, so both sides count. Never raises."""
    makefile = Makefile()
    current: list[MakeTarget] = []
    for line in text.replace("\\\n", " ").split("\n")[:MAX_LINES]:
        line = line[:MAX_VALUE]
        if line.startswith("\t"):
            for target in current:
                target.recipe.append(line.strip())
            continue
        bare = line.partition("#")[0].rstrip()
        if match := _VARIABLE.fullmatch(bare.strip()):
            # The first value counts: conditions are not decided, so a later one may stand in an `else`.
            makefile.variables.setdefault(match[1], match[2])
        elif match := _RULE.fullmatch(bare):
            current = [
                makefile.targets.setdefault(name, MakeTarget()) for name in match[1].split()[:50]
            ]
            needs, _, first = match[2].partition(";")
            comment = line[len(bare) :].strip()
            for target in current:
                target.needs += needs.split()[:200]
                target.recipe += [part for part in (first.strip(), comment) if part]
        elif not _BETWEEN.fullmatch(bare):
            current = []  # a rule whose targets only make knows
    return makefile
