"""Facts of foreign records in the words of `case.toml`: commits, repositories, sanitizers, names.

Records are irregular and may be hostile: each function takes any value, and raises UnusableRecord with the
reason where a case cannot do without the fact.
"""

from __future__ import annotations

import re
from typing import Literal, get_args
from urllib.parse import urlsplit

from parsers.cwe import cwe_for
from tasks.schema import Sanitizer

COMMIT = re.compile(r"[0-9a-fA-F]{40}")
SEPARATORS = re.compile(r"[\s,;'\"\[\]()]+")
MAX_FIXES = 100_000
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")
NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._+-]+")
GIT_SCHEMES = frozenset(("https", "http", "git", "ssh", "git+ssh", "git+https"))
# `git@host:owner/name`, which no parser of URLs takes.
SCP_LIKE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^\s-]\S*")
# By the first word of the host or the scheme: their commit ids look like git's, or are numbers.
OTHER_SYSTEMS = {
    "hg": "Mercurial",
    "svn": "Subversion",
    "cvs": "CVS",
    "bzr": "Bazaar",
    "fossil": "Fossil",
}
OTHER_HOSTS = {"heptapod.net": "Mercurial", "mercurial-scm.org": "Mercurial"}
SANITIZERS: dict[str, Sanitizer] = {
    "asan": "address",
    "msan": "memory",
    "ubsan": "undefined",
    "tsan": "thread",
    "lsan": "leak",
    **{name: name for name in get_args(Sanitizer)},
}
LANGUAGES: dict[str, Literal["c", "c++"]] = {
    "c": "c",
    "c++": "c++",
    "cpp": "c++",
    "cxx": "c++",
    "cc": "c++",
}


class UnusableRecord(Exception):
    """The record makes no case; the message is the reason."""


def plain(value: object, limit: int = 300) -> str:
    """A text on a single line, bounded, of printable characters only; "" for what is no text or number."""
    # `True` is an `int` in Python, and would be read as the number 1.
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    words = " ".join(str(value)[: 4 * limit].split())
    if not words.isprintable():
        words = " ".join("".join(filter(str.isprintable, words)).split())
    return words[:limit].rstrip()


def case_id(value: object) -> str:
    """The id as text. Raises UnusableRecord."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not NAME.fullmatch(text):
        id_text = (
            "missing" if value is None else f"{plain(value, 40)!r} is not a number or a plain name"
        )
        raise UnusableRecord(f"localId: {id_text}")
    return text


def project_name(*values: object) -> str:
    """The first project that is not empty, with "-" for what names cannot hold. Raises UnusableRecord."""
    for value in values:
        name = NOT_IN_NAMES.sub("-", plain(value, 100)).lstrip("-._+")
        if name:
            return name
    raise UnusableRecord("project: missing")


def repository_url(value: object) -> str:
    """A URL that git can clone. Raises Unusable, naming the system where it is not git."""
    text = plain(value, 1000)
    if not text:
        raise UnusableRecord("repository: missing")
    if SCP_LIKE.fullmatch(text):
        return text
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").lower()
    except ValueError as error:
        raise UnusableRecord(f"repository: {text[:100]!r} is not a URL ({error})") from error
    system = _other_system(parts.scheme.lower(), host)
    if system:
        raise UnusableRecord(f"repository is {system}, not git: {text}")
    if parts.scheme.lower() not in GIT_SCHEMES or not host or " " in text:
        raise UnusableRecord(f"repository: {text[:100]!r} is not a URL that git can clone")
    return text


def _other_system(scheme: str, host: str) -> str | None:
    for word in (re.split(r"[+-]", scheme)[0], re.split(r"[.-]", host)[0]):
        if word in OTHER_SYSTEMS:
            return OTHER_SYSTEMS[word]
    labels = host.split(".")
    return OTHER_HOSTS.get(".".join(labels[-2:]))


def commits(value: object, url: object = None) -> tuple[str, ...]:
    """The fix commits in their order, each once: from a hash, hashes in a text, or a list.

    `url` is a link to the fix, used when `value` is empty. Raises Unusable for anything that is not 40
    hexadecimal digits.
    """
    parts: list[object] = []
    for item in value if isinstance(value, list | tuple) else [value]:
        parts += SEPARATORS.split(item) if isinstance(item, str) else [item]
    ids = [part for part in parts if part not in (None, "")]
    if not ids:
        # The last one: a link that compares two commits names the fix behind the range's begin.
        ids = list(COMMIT.findall(plain(url, 1000))[-1:])
    if not ids:
        raise UnusableRecord("fix commit: missing")
    if len(ids) > MAX_FIXES:
        raise UnusableRecord(f"fix commit: more than {MAX_FIXES}")
    for part in ids:
        if not isinstance(part, str) or not COMMIT.fullmatch(part):
            shown = plain(part, 60) if isinstance(part, str | int) else type(part).__name__
            raise UnusableRecord(f"fix commit: {shown!r} is not 40 hexadecimal digits")
    return tuple(dict.fromkeys(str(part).lower() for part in ids))


def sanitizer(*values: object) -> Sanitizer:
    """The first sanitizer among words such as "asan", "address (ASAN)" or "libfuzzer_asan_x".

    "address" when all values are empty, "none" when they name no sanitizer.
    """
    for value in values:
        for word in re.split(r"[^a-z]+", plain(value).lower()):
            if word in SANITIZERS:
                return SANITIZERS[word]
    # A sanitizer that the table lacks must not be taken for the default: its crashes would not be recognised.
    return "none" if any(plain(value) for value in values) else "address"


def language(value: object) -> Literal["c", "c++", ""]:
    return LANGUAGES.get(plain(value, 20).lower(), "")


def weaknesses(crash_type: str) -> tuple[str, ...]:
    """The CWE of a crash type (the paper's Table 7), or none."""
    cwe = cwe_for(crash_type)
    return (cwe,) if cwe else ()
