"""Documents that make objects of any class when they are read (CWE-502): YAML, and pickle and its like.

A sink is a call that reads such a document. YAML is weak with a loader that is not among the safe loaders
(none named at all: PyYAML before 6), unless the document belongs to the program: a constant, or a file with a
constant name, while another document, untrusted, is read as plain data. Where such a file is all that is
read, it is the payload: nothing shows who wrote it. Pickles can be read in no safe way; it counts whether
an attacker can choose what is read.
"""

from __future__ import annotations

import ast
import re
from functools import cached_property

from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    safe,
    unknown,
    vulnerable,
)
from arena.tracks.exposure.detect._fetching import is_answer
from arena.tracks.exposure.detect._followed import first_of, unfollowed_part
from arena.tracks.exposure.flow.facts import CallFact, ProgramFacts, Value
from arena.tracks.exposure.flow.names import last_name

_PYYAML = r"(?:yaml|oyaml|ruamel\.yaml|ruamel_yaml|ruamel\.yaml\.main|yaml\.cyaml|yaml\.loader)"
_WITH_LOADER = re.compile(
    _PYYAML + r"\.(?:load|load_all|compose|round_trip_load|full_load|unsafe_load)(?:_all)?"
)
_OWN_LOADER = {"full_load": False, "unsafe_load": False, "round_trip_load": True}
_SAFE = re.compile(
    _PYYAML + r"\.(?:safe_load|safe_load_all)|strictyaml\.(?:load|dirty_load)|poyo\.parse_string"
)
_LOADER = re.compile(_PYYAML + r"\.(?P<name>C?\w*Loader)")
_STRICT = frozenset(("SafeLoader", "CSafeLoader", "BaseLoader", "CBaseLoader", "RoundTripLoader"))
_RUAMEL_PARSER = re.compile(r"ruamel[._]yaml(?:\.main)?\.YAML")
_CONFIGURED = re.compile(_RUAMEL_PARSER.pattern + r"\(\)\.load(?:_all)?")
_MAX_BASES = 5
_OPENING = re.compile(r"(?:io\.|codecs\.)?open|pathlib\.Path")
_WRITING = (".save", ".write", ".writelines", ".write_text", ".write_bytes")
_PICKLES = re.compile(
    r"(?:pickle|dill|cloudpickle|_pickle|marshal|jsonpickle|joblib|torch|shelve|pandas|numpy|np|pd|cPickle)\."
    r"(?:loads?|decode|open|read_pickle|load_module|Unpickler|unpickler\.decode)"
    r"|sklearn\.externals\.joblib\.load|django\.contrib\.sessions\.serializers\.PickleSerializer\(\)\.loads"
)
# Functions that read a pickle only with a keyword: its name, and the value that it must have for that.
_SWITCHES = {"torch.load": ("weights_only", False), "numpy.load": ("allow_pickle", True)}


class _Loaders:
    """Facts about a program's loaders, gathered once."""

    def __init__(self, facts: ProgramFacts) -> None:
        self._facts = facts

    @cached_property
    def _bases(self) -> dict[str, str]:
        """The first base of each class of the program, by its last name."""
        classes = (node for node in ast.walk(self._facts.tree) if isinstance(node, ast.ClassDef))
        return {item.name: last_name(item.bases[0]) for item in classes if item.bases}

    @cached_property
    def _looked_up(self) -> frozenset[str]:
        """Names that `getattr(yaml, "SafeLoader", yaml.Loader)` can mean, of all such calls."""
        names: set[str] = set()
        for call in self._facts.calls_of("getattr"):
            name, otherwise = call.argument(1), call.argument(2)
            names |= set(name.texts if name else ())
            names |= {path.rpartition(".")[2] for path in (otherwise.paths if otherwise else ())}
        return frozenset(names)

    @cached_property
    def makes_unsafe(self) -> bool:
        """Whether the program constructs a ruamel.yaml.YAML with typ="unsafe"."""
        results = (
            call for call in self._facts.calls if any(map(_RUAMEL_PARSER.fullmatch, call.paths))
        )
        kinds = (kind for call in results if (kind := call.argument(0, "typ")) is not None)
        return any("unsafe" in text for kind in kinds for text in _texts(kind))

    def strict(self, loader: Value | None) -> bool:
        """Whether a loader can only be a loader of plain data."""
        if loader is None:
            return False
        names = {path.rpartition(".")[2].strip("?<>") for path in loader.paths if path[0] != "$"}
        if "getattr()" in names:
            names = (names - {"getattr()"}) | self._looked_up
        return bool(names) and all(map(self._is_strict, names))

    def _is_strict(self, name: str) -> bool:
        for _ in range(_MAX_BASES):
            if name in _STRICT:
                return True
            name = self._bases.get(name, "")
        return False


def _is_weak_yaml(call: CallFact, path: str, loaders: _Loaders) -> bool | None:
    """Whether a call of YAML is weak, whatever the document; None where it reads none."""
    name = path.rpartition(".")[2].removesuffix("_all")
    if _SAFE.fullmatch(path):
        return False
    if _CONFIGURED.fullmatch(path):
        return loaders.makes_unsafe
    if _WITH_LOADER.fullmatch(path):
        strict = _OWN_LOADER.get(name)
        return not (loaders.strict(call.argument(1, "Loader")) if strict is None else strict)
    if _LOADER.fullmatch(path):
        return name not in _STRICT
    return None


def _fills(call: CallFact) -> bool:
    """Whether a call puts untrusted data into a file."""
    data = (call.receiver, *call.values)
    return call.ends(*_WRITING) and any(value.untrusted_flows for value in data)


class _OwnFiles:
    """Files whose names are constants of the program, where it writes no untrusted data into any."""

    def __init__(self, facts: ProgramFacts) -> None:
        opened = (call for call in facts.calls if any(map(_OPENING.fullmatch, call.paths)))
        named = [(call, call.argument(0, "file", "filename")) for call in opened]
        self._lines = {call.line for call, name in named if name is not None and name.exact}
        self._filled = any(map(_fills, facts.calls))
        # A line that opens two files may be about either.
        self._lines -= {call.line for call, name in named if name is None or not name.exact}

    def holds(self, document: Value) -> bool:
        """Whether a document can only come out of such files."""
        if not document.flows or self._filled:
            return False
        sources = [flow.source for flow in document.flows]
        return all(source.kind == "file" and source.line in self._lines for source in sources)


def _texts(value: Value) -> tuple[str, ...]:
    return (*value.texts, *(text for item in value.items or () for text in item.texts))


def _is_weak_pickle(call: CallFact, path: str) -> bool | None:
    """Whether a call reads a pickle that an attacker can choose; None where it reads none."""
    if not _PICKLES.fullmatch(path):
        return None
    if path in _SWITCHES:
        keyword, dangerous = _SWITCHES[path]
        argument = call.keywords.get(keyword)
        is_reported = argument is not None and dangerous in argument.constants
        # Without the keyword each function does what its default is: `torch.load` reads a pickle,
        # `numpy.load` none.
        if not is_reported and (dangerous or argument is not None):
            return None if dangerous else False
    elif path.startswith(("numpy.", "pandas.")) and not path.endswith(".read_pickle"):
        return None
    return any(value.untrusted_flows or is_answer(value) for value in call.values)


def _judge(facts: ProgramFacts) -> Finding:
    findings: list[Finding] = []
    of_own_file: Finding | None = None
    others = False
    loaders, own_files = _Loaders(facts), _OwnFiles(facts)
    for call in facts.calls:
        for path in sorted(call.paths):
            weak = _is_weak_yaml(call, path, loaders)
            document = call.argument(0, "stream")
            if weak is not None and document is not None and not document.exact:
                result = f"{path} makes objects of any class out of {_name(document)}"
                remaining = own_files.holds(document)
                others = others or not remaining
                if weak and not remaining:
                    return vulnerable(call.line, result)
                if weak and of_own_file is None:
                    of_own_file = vulnerable(call.line, result)
            pickle = _is_weak_pickle(call, path)
            if pickle:
                return vulnerable(
                    call.line, f"{path} runs what somebody else wrote into the pickle"
                )
            if (weak, pickle) != (None, None):
                findings.append(_judge_harmless(call, path, weak, document))
    if of_own_file is not None and not others:
        return of_own_file
    return first_of(findings) or not_applicable("no YAML or pickle is read")


def _judge_harmless(
    call: CallFact, path: str, weak: bool | None, document: Value | None
) -> Finding:
    """The finding for a document read as plain data, or without evidence that an attacker chooses it."""
    if weak is False:
        return safe(call.line, f"{path} makes plain data alone")
    if document is not None and document.exact and not document.flows:
        return safe(call.line, f"{path} reads a constant document")
    part = unfollowed_part(document)
    if part is not None or weak is None:
        shown = part or "the pickle"
        return unknown(call.line, f"{path} makes objects, and who writes {shown} is not seen")
    return safe(call.line, f"{path} reads a document of the program's own")


def _name(document: Value) -> str:
    return (
        document.untrusted_flows[0].source.name
        if document.untrusted_flows
        else "a document that is not constant"
    )


_EXAMPLE = """import yaml
from flask import Flask, request
app = Flask(__name__)
@app.post("/name")
def name():
    document = {}
    return document["name"]
"""

PLUGIN = Detector(
    "a document that makes objects of any class",
    ("CWE-502",),
    _judge,
    (
        DetectorExample(
            "no loader", _EXAMPLE.format("yaml.load(request.data)"), Verdict.VULNERABLE
        ),
        DetectorExample(
            "a loader that makes objects",
            _EXAMPLE.format("yaml.load(request.data, Loader=yaml.UnsafeLoader)"),
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "the safe loader",
            _EXAMPLE.format("yaml.load(request.data, Loader=yaml.SafeLoader)"),
            Verdict.SAFE,
        ),
        DetectorExample(
            "a constant", _EXAMPLE.format('yaml.load("name: x", yaml.Loader)'), Verdict.SAFE
        ),
        DetectorExample(
            "a pickle of a cache",
            "import pickle\n\ndef load(self):\n    return pickle.loads(self.cache)\n",
            Verdict.UNKNOWN,
        ),
        DetectorExample(
            "JSON instead", _EXAMPLE.format("request.get_json()"), Verdict.NOT_APPLICABLE
        ),
    ),
)
