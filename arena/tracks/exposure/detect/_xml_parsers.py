"""The parsers of XML that a program makes: which of them fetch what a document names."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from arena.tracks.exposure.detect._fetching import is_answer
from arena.tracks.exposure.flow.facts import CallFact, ProgramFacts, Value

LXML_PARSER = re.compile(
    r"\??lxml\.(?:etree|objectify)\.(?:XMLParser|ETCompatXMLParser|makeparser|XMLPullParser)"
)
_EXTERNAL = ("xml.sax.handler.feature_external_ges", "xml.sax.handler.feature_external_pes")
_FEATURES = re.compile(r"http://xml\.org/sax/features/external-(?:general|parameter)-entities")


def is_weak(call: CallFact) -> bool:
    """Whether a parser of lxml with these options fetches what a document names."""
    entities = call.argument(-1, "resolve_entities")
    if entities is None or not entities.exact or True in entities.constants:
        return True
    fetches = any(
        _is_on(call, name) for name in ("load_dtd", "dtd_validation", "attribute_defaults")
    )
    network = call.argument(-1, "no_network")
    return fetches and network is not None and not all(network.constants or (False,))


def _is_on(call: CallFact, keyword: str) -> bool:
    value = call.argument(-1, keyword)
    return value is not None and (not value.exact or any(value.constants))


class Parsers:
    """Facts about the parsers that a program constructs, gathered once."""

    def __init__(self, facts: ProgramFacts) -> None:
        self._facts = facts

    @cached_property
    def _weak_on(self) -> dict[int, bool]:
        """Lines on which a parser of lxml is constructed, and whether any of them is weak."""
        result: dict[int, bool] = {}
        for call in self._facts.calls:
            if any(map(LXML_PARSER.fullmatch, call.paths)):
                result[call.line] = result.get(call.line, False) or is_weak(call)
        return result

    @cached_property
    def _bound_on(self) -> dict[str, set[int]]:
        """Lines on which each name gets a value."""
        result: dict[str, set[int]] = {}
        for assignment in self._facts.assignments:
            result.setdefault(assignment.target, set()).add(assignment.line)
        return result

    @cached_property
    def told_to_fetch(self) -> bool:
        """Whether a parser of SAX gets a feature that fetches."""
        return any(map(_fetches, self._facts.calls_ending_with(".setFeature")))

    @cached_property
    def _untrusted_files(self) -> dict[int, str]:
        """Lines on which a file is opened that an attacker names, and by what."""
        return {
            call.line: call.arguments[0].untrusted_flows[0].source.name
            for call in self._facts.calls_of("open", "io.open", "codecs.open", "file")
            if call.arguments and call.arguments[0].untrusted_flows
        }

    def untrusted_source(self, document: Value) -> str | None:
        """The source of a document that an attacker can choose; None for a document of the program itself."""
        if document.untrusted_flows:
            return document.untrusted_flows[0].source.name
        files = (flow.source.line for flow in document.flows if flow.source.kind == "file")
        opened = next(
            (self._untrusted_files[line] for line in files if line in self._untrusted_files), None
        )
        return opened or ("a document from the network" if is_answer(document) else None)

    def weak(self, node: ast.expr) -> bool:
        """Whether the parser at a node can be weak: a parser of that line or that name, else any parser."""
        lines = {node.lineno} | self._bound_on.get(_dotted_name(node), set())
        # A parser that cannot be identified is any of the program's.
        is_made_here = lines & self._weak_on.keys() or self._weak_on.keys()
        return any(self._weak_on[line] for line in is_made_here)


def _dotted_name(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([getattr(node, "id", ""), *reversed(parts)])


def _fetches(call: CallFact) -> bool:
    feature, state = call.argument(0, "name"), call.argument(1, "state")
    if feature is None or state is None:
        return False
    is_fetching = feature.is_(*_EXTERNAL) or any(map(_FEATURES.fullmatch, feature.texts))
    return is_fetching and (not state.exact or any(state.constants))
