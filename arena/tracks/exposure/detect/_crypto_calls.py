"""Calls that do cryptography: the arguments of each, and why it is safe where it is not weak."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import islice

from arena.tracks.exposure.detect import _crypto_facts as crypto_facts
from arena.tracks.exposure.detect._detector import Finding, safe, unknown
from arena.tracks.exposure.detect._followed import unfollowed_part
from arena.tracks.exposure.detect._secrets import is_password, names_of
from arena.tracks.exposure.flow.facts import CallFact, Value

# Parts of an argument that are looked at.
MAX_ARGUMENT_PARTS = 100


def used(call: CallFact, named: Mapping[str, tuple[str, ...]]) -> Finding:
    """The finding for a call that is not weak: what was looked at, and what is not visible."""
    name = call.display_name
    kinds = [kind for path in call.paths for kind in named.get(path, (path,))]
    broken = any(map(crypto_facts.BROKEN_DIGEST.fullmatch, kinds))
    fast = any(map(crypto_facts.FAST_DIGEST.fullmatch, kinds))
    if (broken or fast) and any(map(is_password, _all_names(call)[2:])):
        return safe(
            call.line, f"{name} of a password goes into a slow digest, or to a list of leaked ones"
        )
    if broken:
        return _judge_broken_digest(call, name)
    if fast:
        return safe(
            call.line,
            f"{name} is a sound digest, and nothing that it is given is called a password",
        )
    unseen = next(_unseen(call, name), None)
    if unseen is not None:
        return unknown(call.line, unseen)
    if any(map(crypto_facts.SLOW.fullmatch, call.paths)):
        return safe(call.line, f"{name} is a slow digest, with enough rounds and no fixed salt")
    return safe(
        call.line,
        f"{name} is no broken cipher, and has no mode, size or beginning that is weak",
    )


def _judge_broken_digest(call: CallFact, name: str) -> Finding:
    """The finding for a broken digest into which, as far as the analysis sees, no secret goes."""
    if not is_for_security(call):
        return safe(call.line, f"{name} is told that no security depends on it")
    harmless = next(
        (
            spoken_name
            for spoken_name in _all_names(call)
            if crypto_facts.HARMLESS.search(spoken_name.lower())
        ),
        None,
    )
    if harmless is None:
        return unknown(call.line, f"{name} is broken, and what it is for is not seen")
    return safe(call.line, f"{name} is broken, but makes a mark of no secret ({harmless})")


def _unseen(call: CallFact, name: str) -> Iterator[str]:
    """Arguments of a call that were not followed, so that it cannot be judged by them."""
    for pattern, position, option, _ in (*crypto_facts.COSTS, *crypto_facts.SIZES):
        value = call.argument(position, option)
        if value is None or value.numbers or not any(map(pattern.fullmatch, call.paths)):
            continue
        if value.paths or value.flows:
            yield f"the {option} that {name} is given is not seen"
    mode = call.argument(1, "mode") if any(map(crypto_facts.AES.fullmatch, call.paths)) else None
    chosen = [flow.source.name for flow in mode.untrusted_flows] if mode is not None else []
    for part in filter(None, (unfollowed_part(mode), *chosen)):
        yield f"{part} is the mode of {name}, and is not seen"
    for part in filter(None, map(unfollowed_part, beginnings(call))):
        yield f"{part} begins each message, and where it comes from is not seen"


def _all_names(call: CallFact) -> tuple[str, ...]:
    nodes = (*call.node.args, *(keyword.value for keyword in call.node.keywords))
    written = (name for node in nodes for name in mentioned_names(node))
    data = (name for value in call.values for name in names_of(value, None))
    return (call.function, call.entry, *written, *data)


def is_for_security(call: CallFact) -> bool:
    value = call.keywords.get("usedforsecurity")
    return value is None or False not in value.constants


def mentioned_names(node: ast.expr | None) -> Iterator[str]:
    # Bounded: a hostile program may have an argument of thousands of nodes in each of thousands of calls.
    for inner in islice(ast.walk(node), MAX_ARGUMENT_PARTS) if node is not None else ():
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            yield inner.attr


def beginnings(call: CallFact) -> Iterator[Value]:
    for pattern, position, names in crypto_facts.BEGINNINGS:
        if any(map(pattern.fullmatch, call.paths)):
            value = call.argument(position, *names)
            if value is not None:
                yield value
