"""`arena study operators`: the mutation operators."""

from __future__ import annotations

from typing import Any

from arena import options
from arena.output import emit

HELP = "Track mutation: list the mutation operators, with their CWEs, variants and examples."


def command(as_json: options.Json = False) -> None:
    from harness.extras import need

    # Importing the operators needs libcst, which only this extra brings.
    need("mutation")
    from arena.tracks.mutation.operators import all_operators

    if as_json:
        emit([_describe_operator(operator) for operator in all_operators()])
        return
    for operator in all_operators():
        print(f"{operator.name:14} {', '.join(operator.cwes)}: {operator.title}")
        print(f"{'':14} {', '.join(operator.variants)}")


def _describe_operator(operator: Any) -> dict[str, Any]:
    """An operator without what is code."""
    return {
        "name": operator.name,
        "title": operator.title,
        "cwes": list(operator.cwes),
        "variants": list(operator.variants),
        "alternatives": list(operator.alternatives),
        "witnesses": list(operator.witnesses),
        "terms": list(operator.paper.terms),
        "watched": {area: list(names) for area, names in operator.watched.items()},
        "examples": [vars(example) for example in operator.examples],
    }
