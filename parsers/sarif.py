"""SARIF 2.1.0 (OASIS, 2020) -> findings, whatever tool wrote it.

The section numbers in the comments are those of the standard. Suppressed results are findings like the
rest: whether a suppression is honoured is not for the author of the code to say.
"""

from __future__ import annotations

import codecs
import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import unquote_to_bytes

_CWE = re.compile(r"cwe[-_ /:]{0,2}(\d{1,5})(?!\d)", re.IGNORECASE)
_FINDING_KINDS = frozenset({"fail", "open", "review"})  # 3.27.9; the others say "nothing wrong"
_QUIET_LEVELS = frozenset({"none", "note"})
# Logs quote the scanned code, which is hostile: each text of a finding has a bound.
_MAX_MESSAGE_CHARACTERS = 4000
_MAX_STEPS, _MAX_STEP_CHARACTERS = 200, 300
_NO_FINGERPRINT = "=requires login"  # semgrep without an account, for every finding
_DRIVE = re.compile(r"[A-Za-z]:/")
_MAX_BASES = 16  # links from a uriBaseId to the next; more is a loop


class SarifError(ValueError):
    """The text is not a SARIF 2.x log; the message is a single line."""


@dataclass(frozen=True)
class Identity:
    """Further fields of a finding that distinguish it from others when code has moved.

    function: the qualified name of the logical location. context: the text around the finding. fingerprints:
    `name=value`, without those that unlike findings share. steps: the message of each location on the way
    to it (code flow, further and related locations), with its line relative to the finding's, and how many
    columns its code takes: 0 where it ends on a different line.
    """

    function: str = ""
    context: str = ""
    fingerprints: tuple[str, ...] = ()
    steps: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True)
class Finding:
    """A result of a scanner: where, by which rule, and the code it points at ("" when unknown)."""

    rule: str
    path: str
    line: int
    end_line: int
    code: str
    message: str
    severity: str
    cwe: tuple[str, ...] = ()
    identity: Identity = field(default=Identity(), compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        fields = asdict(self)
        del fields["identity"]
        return {**fields, "cwe": list(self.cwe)}


@dataclass(frozen=True)
class Notice:
    """What a tool reported about its work: a file that it could not read, a rule that failed."""

    path: str | None
    message: str
    line: int = 0
    level: str = "error"


@dataclass(frozen=True)
class Findings:
    """The content of a SARIF log, over all its runs.

    `analysed` are the files that the log lists as read; None when it lists none. `rules` is the number
    of rules that the tools describe. `described`: their ids, with the CWEs that each is about.
    """

    findings: tuple[Finding, ...]
    errors: tuple[Notice, ...]
    tool: str
    analysed: frozenset[str] | None
    rules: int
    described: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def parse_sarif(data: bytes | str) -> Findings:
    """Read a SARIF log. Raises SarifError for any different text."""
    log = _load(data)
    runs = log.get("runs")
    if not isinstance(runs, list):
        raise SarifError("not SARIF: no list `runs`")
    version = log.get("version")
    if not isinstance(version, str) or not version.startswith("2."):
        raise SarifError(f"SARIF version {version!r:.40} is not 2.x")
    parsed = [_Run(_dict(run)) for run in runs]
    listed = [run.analysed_paths() for run in parsed]
    path_sets = [paths for paths in listed if paths]
    return Findings(
        findings=_merge_runs(run.findings() for run in parsed),
        errors=tuple(notice for run in parsed for notice in run.notices()),
        tool=", ".join(dict.fromkeys(run.name for run in parsed)),
        analysed=frozenset().union(*path_sets) if path_sets else None,
        rules=sum(len(rules) for run in parsed for rules in run.rules),
        described={rule: about for run in parsed for rule, about in run.rules_with_cwes()},
    )


def _merge_runs(runs: Iterable[Iterable[Finding]]) -> tuple[Finding, ...]:
    """The findings of all runs; the same finding in several runs, as of merged jobs, counts once."""
    counted: Counter[Finding] = Counter()
    findings: list[Finding] = []
    for run in runs:
        of_run: Counter[Finding] = Counter()
        for finding in run:
            of_run[finding] += 1
            if of_run[finding] > counted[finding]:
                counted[finding] += 1
                findings.append(finding)
    return tuple(findings)


def cwes(*texts: object) -> tuple[str, ...]:
    """The CWE numbers named in texts or lists of texts, as `CWE-120`, each once, in their order."""
    cwe_ids: dict[str, None] = {}
    for text in texts:
        parts = text if isinstance(text, list) else [text]
        for part in parts:
            if isinstance(part, str):
                cwe_ids.update((f"CWE-{int(m[1])}", None) for m in _CWE.finditer(part[:400]))
    return tuple(cwe_ids)


def _load(data: bytes | str) -> dict[str, Any]:
    if isinstance(data, bytes):
        # PowerShell's redirection writes UTF-16, and several tools on Windows a mark before UTF-8.
        wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        data = data.decode("utf-16" if wide else "utf-8-sig", "replace")
    if not data.strip():
        raise SarifError("not SARIF: empty")
    try:
        log = json.loads(data.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise SarifError(f"not SARIF: not JSON ({str(error)[:100]})") from error
    if not isinstance(log, dict):
        raise SarifError("not SARIF: the top is not an object")
    return log


class _Run:
    """A run of a tool (3.14)."""

    def __init__(self, run: dict[str, Any]) -> None:
        self._run = run
        tool = _dict(run.get("tool"))
        driver = _dict(tool.get("driver"))
        components = [driver, *map(_dict, _list(tool.get("extensions")))]
        self.name = " ".join(
            _text(part) for part in (driver.get("name"), driver.get("semanticVersion")) if part
        )
        self.rules = [[_dict(rule) for rule in _list(c.get("rules"))] for c in components]
        self._by_id = {
            _text(rule.get("id")): rule for rules in reversed(self.rules) for rule in rules
        }
        self._artifacts = [_dict(item) for item in _list(run.get("artifacts"))]
        self._bases = _dict(run.get("originalUriBaseIds"))
        self._invocations = [_dict(item) for item in _list(run.get("invocations"))]
        self._roots = self._absolute_roots()

    def findings(self) -> Iterator[Finding]:
        for item in map(_dict, _list(self._run.get("results"))):
            kind = _text(item.get("kind")) or "fail"
            # A result that is absent was in an earlier log and is in this code no more.
            if kind in _FINDING_KINDS and item.get("baselineState") != "absent":
                yield self._finding(item)

    def rules_with_cwes(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Id and CWEs of each rule that the log describes."""
        for rule in (rule for rules in self.rules for rule in rules):
            if identity := _text(rule.get("id")):
                yield identity, self._cwe({}, rule)

    def notices(self) -> Iterator[Notice]:
        """Everything that makes the list of results incomplete."""
        if self._run.get("results") is None:  # 3.14.23: null or absent when the tool did not scan
            yield Notice(None, "the run has no results: the tool did not scan")
        outside = _dict(self._run.get("externalPropertyFileReferences"))
        if outside.get("results"):
            yield Notice(None, "results lie in external files, which are not read")
        for invocation in self._invocations:
            if invocation.get("executionSuccessful") is False:
                yield Notice(None, f"the tool failed: {_text(invocation.get('exitCode')) or '?'}")
            for key in ("toolExecutionNotifications", "toolConfigurationNotifications"):
                for item in map(_dict, _list(invocation.get(key))):
                    level = _text(item.get("level")) or "warning"  # 3.58.6
                    if level not in _QUIET_LEVELS:
                        path, line, _, _ = self._place(item)
                        yield Notice(path or None, self._message(item, {}), line, level)

    def analysed_paths(self) -> frozenset[str]:
        """Files marked as targets of the analysis (3.24.6); the rest are listed for different reasons."""
        targets = (a for a in self._artifacts if "analysisTarget" in _list(a.get("roles")))
        paths = (self._path(_dict(item.get("location"))) for item in targets)
        return frozenset(path for path in paths if path)

    def _finding(self, item: dict[str, Any]) -> Finding:
        rule = self._rule(item)
        path, line, end_line, code = self._place(item)
        identity = _text(item.get("ruleId")) or _text(_dict(item.get("rule")).get("id"))
        default = _dict(rule.get("defaultConfiguration")).get("level")
        return Finding(
            rule=identity or _text(rule.get("id")) or "unnamed",
            path=path,
            line=line,
            end_line=end_line,
            code=code,
            message=self._message(item, rule),
            severity=_text(item.get("level")) or _text(default) or "warning",
            cwe=self._cwe(item, rule),
            identity=self._identity(item, line),
        )

    def _identity(self, item: dict[str, Any], line: int) -> Identity:
        location = _dict(_item_at(_list(item.get("locations")), 0))
        context = _dict(_dict(location.get("physicalLocation")).get("contextRegion"))
        marks = {**_dict(item.get("partialFingerprints")), **_dict(item.get("fingerprints"))}
        named = (f"{name}={_text(value)}" for name, value in marks.items() if _text(value))
        return Identity(
            function=self._function(location),
            context=_text(_dict(context.get("snippet")).get("text"))[:_MAX_MESSAGE_CHARACTERS],
            fingerprints=tuple(mark for mark in named if not mark.endswith(_NO_FINGERPRINT)),
            steps=tuple(self._steps(item, line)),
        )

    def _function(self, location: dict[str, Any]) -> str:
        """The qualified name of a location's function (3.33), in the run's table or in place."""
        logical = _dict(_item_at(_list(location.get("logicalLocations")), 0))
        listed = _dict(_item_at(_list(self._run.get("logicalLocations")), logical.get("index")))
        named = {**listed, **logical}
        return _text(named.get("fullyQualifiedName")) or _text(named.get("name"))

    def _steps(self, item: dict[str, Any], line: int) -> Iterator[tuple[str, int, int]]:
        """The steps to a finding: locations of its first code flow (3.36), then further and related ones."""
        flow = _dict(_item_at(_list(item.get("codeFlows")), 0))
        thread = _dict(_item_at(_list(flow.get("threadFlows")), 0))
        steps = [_dict(step).get("location") for step in _list(thread.get("locations"))]
        places = [*steps, *_list(item.get("locations"))[1:], *_list(item.get("relatedLocations"))]
        for place in map(_dict, places[:_MAX_STEPS]):
            region = _dict(_dict(place.get("physicalLocation")).get("region"))
            message = _text(_dict(place.get("message")).get("text"))[:_MAX_STEP_CHARACTERS]
            yield message, _number(region.get("startLine")) - line, _width(region)

    def _rule(self, item: dict[str, Any]) -> dict[str, Any]:
        """The description of a result's rule (3.52): by index where it has an index, else by id."""
        reference = _dict(item.get("rule"))
        component = _dict(reference.get("toolComponent")).get("index")
        rules = _item_at(self.rules, component + 1 if isinstance(component, int) else 0) or []
        index = item.get("ruleIndex", reference.get("index"))
        rule = _item_at(rules, index)
        if rule is not None:
            return _dict(rule)
        identity = _text(item.get("ruleId")) or _text(reference.get("id"))
        # 3.27.5: `CA2101/1` is a kind of the rule `CA2101`
        return self._by_id.get(identity) or self._by_id.get(identity.rpartition("/")[0]) or {}

    def _cwe(self, item: dict[str, Any], rule: dict[str, Any]) -> tuple[str, ...]:
        properties = [_dict(item.get("properties")), _dict(rule.get("properties"))]
        taxa = [_dict(taxon) for taxon in _list(item.get("taxa"))]
        taxa += [_dict(_dict(link).get("target")) for link in _list(rule.get("relationships"))]
        numbered = [
            "CWE-" + _text(taxon.get("id")).upper().removeprefix("CWE-")
            for taxon in taxa
            if _text(_dict(taxon.get("toolComponent")).get("name")).upper() == "CWE"
        ]
        named = [p.get(key) for p in properties for key in ("cwe", "cwes", "tags")]
        return cwes(*numbered, *named, rule.get("helpUri"), rule.get("name"))

    def _message(self, item: dict[str, Any], rule: dict[str, Any]) -> str:
        """A message's text (3.11), its arguments put in."""
        message = _dict(item.get("message"))
        strings = _dict(_dict(rule.get("messageStrings")).get(_text(message.get("id"))))
        text = (_text(message.get("text")) or _text(strings.get("text")))[:_MAX_MESSAGE_CHARACTERS]
        for number, argument in enumerate(_list(message.get("arguments"))[:20]):
            text = text.replace(f"{{{number}}}", _text(argument)[:1000])
        text = text or _text(message.get("markdown")) or _text(message.get("id"))
        return text[:_MAX_MESSAGE_CHARACTERS]

    def _place(self, item: dict[str, Any]) -> tuple[str, int, int, str]:
        """Path, first line, last line and code of a result's first location."""
        location = _dict(_item_at(_list(item.get("locations")), 0))
        physical = _dict(location.get("physicalLocation"))
        region = _dict(physical.get("region"))
        line = _number(region.get("startLine"))
        code = _text(_dict(region.get("snippet")).get("text"))
        path = self._path(_dict(physical.get("artifactLocation")))
        return path, line, max(line, _number(region.get("endLine"))), code

    def _path(self, location: dict[str, Any]) -> str:
        """A location's path (3.4): relative to the root where the log states the root."""
        if not location.get("uri"):
            item = _dict(_item_at(self._artifacts, location.get("index")))
            location = _dict(item.get("location"))
        uri = _text(location.get("uri"))
        if not uri:
            return ""
        path = _path_of_uri(uri)
        if "://" in path:
            return path
        if not path.startswith("/"):
            return _normal(posixpath.join(self._base(location.get("uriBaseId")), path))
        for root in self._roots:
            if path.startswith(root):
                return _normal(path[len(root) :])
        return _normal(path)

    def _base(self, name: object) -> str:
        """The relative part of a base (3.14.14); its absolute part is the root, and dropped."""
        path = ""
        for _ in range(_MAX_BASES):
            base = _dict(self._bases.get(_text(name)))
            part = _path_of_uri(_text(base.get("uri")))
            if not part or part.startswith("/"):
                return path
            path, name = posixpath.join(part, path), base.get("uriBaseId")
        return path

    def _absolute_roots(self) -> list[str]:
        """Directories that absolute paths are relative to, the deepest first."""
        places = [_dict(base) for base in self._bases.values()]
        places += [_dict(item.get("workingDirectory")) for item in self._invocations]
        roots = {_path_of_uri(_text(place.get("uri"))).rstrip("/") + "/" for place in places}
        absolute = [root for root in roots if root.startswith("/") and root != "/"]
        # The deepest root first: else a path in a nested root would begin with a part of that root.
        return sorted(absolute, key=lambda root: (-len(root), root))


def _path_of_uri(uri: str) -> str:
    """The path in a `file:` URI or in a relative reference; URIs of any further scheme stay as they are.

    Tools on Windows write backslashes, which no URI has, and drives.
    """
    uri = uri.replace("\\", "/")
    if _DRIVE.match(uri):
        return "/" + unquote_to_bytes(uri.encode()).decode("utf-8", "surrogateescape")
    scheme, colon, rest = uri.partition(":")
    if colon and scheme.lower() == "file":
        if rest.startswith("//"):  # an authority: the host of a network share, mostly empty
            rest = "/" + rest[2:].partition("/")[2]
        uri = rest
    elif colon and "//" in rest[:2]:
        return uri
    return unquote_to_bytes(uri.encode()).decode("utf-8", "surrogateescape")


def _normal(path: str) -> str:
    return posixpath.normpath(path) if path else ""


def _item_at(items: list[Any], index: object) -> Any:
    if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(items):
        return items[index]
    return None


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _width(region: dict[str, Any]) -> int:
    """The columns of a region (3.30) on a single line; 0 of any longer region."""
    if region.get("endLine", region.get("startLine")) != region.get("startLine"):
        return 0
    return max(0, _number(region.get("endColumn")) - max(1, _number(region.get("startColumn"))))


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    """A string without lone surrogates, which JSON can smuggle in; a number as its digits."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
