"""How an attack is seen to have succeeded: what one call did on the mutant, and on the secure program.

Each witness returns what was seen, or "" for nothing. `event:<kind>` stands for any kind of event.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from arena.tracks.mutation.bindings import unbound
from arena.tracks.mutation.oracle.places import bases, escapes, foreign, inside
from arena.tracks.mutation.oracle.refusals import (
    PROGRAMMING,
    REFUSING,
    denies,
    is_empty,
    is_refusal,
    raised_by,
)
from arena.tracks.mutation.oracle.rights import widened_rights
from arena.tracks.mutation.oracle.values import texts_of, value_of
from arena.tracks.mutation.runner.facts import Event, MockCall
from parsers.python_syntax import syntax_tree

MUCH = 200


@dataclass(frozen=True)
class WitnessSeen:
    """One call on both programs, with all events of it, and both sources.

    planted: texts that may be attacks and came to the program by another way than this call.
    """

    mutant: MockCall
    secure: MockCall
    mutant_events: tuple[Event, ...]
    secure_events: tuple[Event, ...]
    mutant_code: str
    secure_code: str
    planted: tuple[str, ...] = ()

    @property
    def argument_texts(self) -> tuple[str, ...]:
        """Texts of the call's arguments, longest first, and those that are planted."""
        return *texts_of(self.mutant.arguments), *self.planted


MADE = frozenset({"key.weak", "hash.weak", "cipher.weak", "random.weak"})
"""Events that are weak by what is made in them."""


def event(kind: str) -> Callable[[WitnessSeen], str]:
    """The event happened on the mutant, and not in this way on the secure program.

    What is made weakly counts for nothing when only the mutant's call fails: it is broken, and gives nothing.
    """

    def witness(seen: WitnessSeen) -> str:
        if kind in MADE and seen.mutant.raised and not seen.secure.raised:
            return ""
        before = [e.detail for e in seen.secure_events if e.kind == kind]
        for happened in seen.mutant_events:
            if happened.kind == kind and (not before or _is_new(happened, before)):
                return f"{kind}: {happened.detail[:MUCH]}"
        return ""

    return witness


def _is_new(happened: Event, before: list[str]) -> bool:
    """Whether a kind that the secure program shows too is new here: only with a detail of its own."""
    return mask_detail(happened.detail) not in {mask_detail(detail) for detail in before}


def refusal_lost(seen: WitnessSeen) -> str:
    """The secure program refused; the mutant did it."""
    if not is_refusal(seen.secure, seen.secure_code):
        return ""
    if seen.mutant.raised:
        return _further(seen)
    result = seen.mutant.returned or ""
    nothing = denies(value_of(result), result)
    if seen.secure.raised:  # a refusal by exception: nothing found is no refusal
        nothing = nothing and not is_empty(value_of(result))
    if nothing:
        return ""
    return f"refused with {_outcome(seen.secure)}, now {_outcome(seen.mutant)}"


def _further(seen: WitnessSeen) -> str:
    """The mutant went on past the refusal, and failed in something that is none of its own refusals."""
    own = {*PROGRAMMING, *REFUSING, *raised_by(seen.mutant_code), seen.secure.raised}
    if not seen.secure.raised or (seen.mutant.raised in own and not _lacks_name(seen)):
        return ""
    return f"refused with {_outcome(seen.secure)}, now it goes on to {_outcome(seen.mutant)}"


def _lacks_name(seen: WitnessSeen) -> bool:
    """Whether the mutant got as far as a name that the secure program does not bind, and nobody supplies."""
    named = re.fullmatch(r"name '(\w+)' is not defined", seen.mutant.text)
    return named is not None and named[1] in unbound(seen.secure_code)


def _outcome(call: MockCall) -> str:
    if call.raised:
        return f"{call.raised}: {call.text[:80]}"
    return f"the result {(call.returned or '')[:80]}"


def _only_on_mutant(seen: WitnessSeen, text: str) -> bool:
    """Whether the mutant's result (no exception) holds the text, and the secure program's does not."""
    if seen.mutant.raised or not _contains(seen.mutant, text):
        return False
    return bool(seen.secure.raised) or not _contains(seen.secure, text)


def html(seen: WitnessSeen) -> str:
    """An argument's markup comes back unescaped."""
    markup = r"<[a-zA-Z/!][^<>]{0,80}>?|[\"']\s{0,3}on\w+\s{0,3}=|javascript:"
    return _comes_back(seen, markup, "unescaped")


def line_break(seen: WitnessSeen) -> str:
    """A line break or control character of an argument comes back raw."""
    return _comes_back(seen, r"[\r\n\0\x1b][^\r\n]{1,40}", "raw")


def _comes_back(seen: WitnessSeen, pattern: str, how: str) -> str:
    for part in (part for text in seen.argument_texts for part in re.findall(pattern, text)):
        if _only_on_mutant(seen, part):
            return f"{part!r} stands {how} in the result"
    return ""


def special(seen: WitnessSeen) -> str:
    """An argument with special elements comes back as it was; the secure program changed or refused it."""
    for text in texts_of(seen.mutant.arguments):
        plain = re.fullmatch(r"[\w .@-]*", text)
        if not plain and _only_on_mutant(seen, text):
            return f"{text[:80]!r} comes back as it was"
    return ""


def offsite(seen: WitnessSeen) -> str:
    """The result leads to a host that the program's source does not name, nor a parent of it."""
    for text in seen.argument_texts:
        if foreign(text, seen.secure_code) and _only_on_mutant(seen, text):
            return f"the result leads to {text[:120]!r}"
    return ""


CANARY = re.compile(r"canary-\w+|secret\w{3,}|password=\S+|s3cr3t\w*", re.IGNORECASE)


def secret(seen: WitnessSeen) -> str:
    """A secret of an argument, an exception or the environment is told, in the result or a message."""
    for text in (seen.mutant.arguments, seen.secure.text, "Traceback (most recent"):
        found = CANARY.findall(text) or ([text] if text.startswith("Traceback") else [])
        for part in found:
            if _contains(seen.mutant, part) and not _contains(seen.secure, part):
                return f"{part[:60]!r} is told"
    for name in ('File "', "Error("):
        if _contains(seen.mutant, name) and not _contains(seen.secure, name):
            return f"the result tells internals ({name!r})"
    own, other = seen.mutant.returned or seen.mutant.text, seen.secure.returned or seen.secure.text
    raised = re.findall(r"\b\w+(?:Error|Exception)\b", own)
    return f"the result tells {raised[0]}" if raised and raised[0] not in other else ""


def literal_secret(seen: WitnessSeen) -> str:
    """A literal that only the mutant's source holds is returned or used as a credential."""
    told = {event.detail for event in seen.mutant_events if event.kind == "credential.used"}
    for text in literals_of(seen.mutant_code) - literals_of(seen.secure_code):
        if len(text) > 2 and (_contains(seen.mutant, text) or any(text in t for t in told)):
            return f"the literal {text[:40]!r} is used"
    before = {e.detail for e in seen.secure_events if e.kind in ("env.secret", "env.read")}
    after = {e.detail for e in seen.mutant_events if e.kind in ("env.secret", "env.read")}
    if gone := before - after:
        return f"{min(gone)} is no longer read from the environment"
    return ""


@lru_cache(maxsize=512)
def literals_of(code: str) -> frozenset[str]:
    found = (n.value for n in ast.walk(syntax_tree(code)) if isinstance(n, ast.Constant))
    return frozenset(
        v.decode("latin-1") if isinstance(v, bytes) else v
        for v in found
        if isinstance(v, str | bytes)
    )


def outside(seen: WitnessSeen) -> str:
    """A path that leads out of the base was opened, or returned, and the secure program did neither."""
    given = texts_of(seen.mutant.arguments)
    climbing = [t for t in given if ".." in t or t.startswith(("/", "\\", "~", "file:"))]
    folders = bases(literals_of(seen.secure_code), given)
    before = {mask_detail(e.detail) for e in seen.secure_events if e.kind == "file.opened"}
    for happened in seen.mutant_events:
        new = happened.kind == "file.opened" and mask_detail(happened.detail) not in before
        path = happened.detail.partition(" ")[2]
        if new and not inside(path, folders) and escapes(path, climbing):
            return f"opened {happened.detail[:MUCH]}"
    return _returned_outside(seen, climbing, folders) or _missing_file(seen, climbing, folders)


def _returned_outside(seen: WitnessSeen, climbing: list[str], folders: tuple[str, ...]) -> str:
    returned = seen.mutant.returned or ""
    for text in climbing:
        last = re.split(r"[/\\]", text)[-1]
        held = any(inside(path, folders) for path in texts_of(returned) if last in path)
        if len(last) > 2 and not held and _only_on_mutant(seen, last):
            return f"{text[:80]!r} leads to {returned[:80]}"
    return ""


def _missing_file(seen: WitnessSeen, climbing: list[str], folders: tuple[str, ...]) -> str:
    """The mutant looked for a file that is not there, where the secure program refused to."""
    failed = seen.mutant.raised in ("FileNotFoundError", "IsADirectoryError", "NotADirectoryError")
    if failed and climbing and seen.secure.raised not in (*PROGRAMMING, "", seen.mutant.raised):
        tried = re.search(r"'([^']*)'", seen.mutant.text)
        if tried and not inside(tried.group(1), folders):
            return f"tried to open {tried.group(1)[:120]}"
    return ""


def mask_detail(detail: str) -> str:
    """A detail without what is new in each run: names of temporary files, and numbers."""
    return re.sub(r"\btmp[a-z0-9_]{8}\b|[0-9a-f]{6,}|\d+", "#", detail)


def exposed_file(seen: WitnessSeen) -> str:
    """A file is left with more rights for group or others than on the secure program."""
    both = (seen.mutant_events, seen.secure_events)
    weak, held = ([e.detail for e in events if e.kind == "file.mode"] for events in both)
    return widened_rights(weak, held, mask_detail)


PRIVILEGED = re.compile(
    r"[\"']?((?:is_)?(?:admin|staff|superuser|verified|active)|role|roles|permissions?|balance|credits|owner(?:_id)?"
    r"|price|password_hash|status|plan|tier)[\"']?\s*[:=]\s*([^,})]{1,40})"
)


def assigned_privilege(seen: WitnessSeen) -> str:
    """A privileged field of the argument is set on the result, and was not on the secure program's."""
    asked = set(PRIVILEGED.findall(seen.mutant.arguments))
    got = set(PRIVILEGED.findall(seen.mutant.returned or ""))
    for field, value in sorted((asked & got) - set(PRIVILEGED.findall(seen.secure.returned or ""))):
        return f"{field} = {value}"
    return ""


def plaintext(seen: WitnessSeen) -> str:
    """A secret given comes back, or is stored, in clear."""
    stored = {e.detail for e in seen.mutant_events if e.kind in ("stored", "sql.interpolated")}
    before = {e.detail for e in seen.secure_events if e.kind in ("stored", "sql.interpolated")}
    for text in texts_of(seen.mutant.arguments):
        if len(text) < 6:
            continue
        if (
            _contains(seen.mutant, text)
            and not _contains(seen.secure, text)
            and not seen.secure.raised
        ):
            return f"{text[:60]!r} comes back in clear"
        if any(text in t for t in stored - before):
            return f"{text[:60]!r} is stored in clear"
    return ""


def formula(seen: WitnessSeen) -> str:
    """A text of an argument that a spreadsheet works out stands at a cell's beginning in the result."""
    for text in seen.argument_texts:
        if re.match(r"[\s\u200b]*[=+@\uff1d\uff0b\uff20-]", text) and len(text) > 1:
            cell = re.compile(r"(?:^|[,;\t\n])\"?" + re.escape(text))
            now, before = value_of(seen.mutant.returned or ""), value_of(seen.secure.returned or "")
            if isinstance(now, str) and cell.search(now) and not cell.search(str(before)):
                return f"{text[:40]!r} begins a cell"
    return ""


def shorter(seen: WitnessSeen) -> str:
    """What comes back is random bytes or their text, of fewer than 128 bits, and was longer."""
    now, before = value_of(seen.mutant.returned or ""), value_of(seen.secure.returned or "")
    if not isinstance(now, str | bytes) or type(now) is not type(before) or not now:
        return ""
    most = ENOUGH if isinstance(now, bytes) else 2 * ENOUGH
    if len(now) < most and len(now) < len(before) and not re.search(rb"\s", _octets(now)):
        return f"the result has {len(now)} characters or bytes, and had {len(before)}"
    return ""


ENOUGH = 16
"""Bytes of a key or digest that hold (NIST SP 800-131A revision 2, Table 1: 112 bits at least, 128 here)."""


def _octets(value: str | bytes) -> bytes:
    return value.encode("utf-8", "replace") if isinstance(value, str) else value


def pattern(seen: WitnessSeen) -> str:
    """An argument is taken for a regular expression: a malformed one raises where it was a plain text."""
    broken = seen.mutant.raised in ("error", "PatternError") and not seen.secure.raised
    return f"the argument is compiled as a pattern: {seen.mutant.text[:80]}" if broken else ""


def slow(seen: WitnessSeen) -> str:
    """A call takes more than a second of CPU, and did not on the secure program."""
    return event("slow")(seen)


def _contains(call: MockCall, text: str) -> bool:
    """Whether the result, or the message of the exception, holds the text as it is."""
    if call.raised:
        return text in call.text
    result = call.returned or ""
    return text in result or any(text in part for part in texts_of(result))


WITNESSES: dict[str, Callable[[WitnessSeen], str]] = {
    "granted": refusal_lost,
    "html": html,
    "line-break": line_break,
    "special": special,
    "offsite": offsite,
    "secret": secret,
    "literal-secret": literal_secret,
    "outside": outside,
    "exposed": exposed_file,
    "assigned": assigned_privilege,
    "plaintext": plaintext,
    "formula": formula,
    "shorter": shorter,
    "slow": slow,
    "pattern": pattern,
    "repeated": lambda seen: "",  # of two calls, not of one: see `prove.compare`
}


def witness(name: str) -> Callable[[WitnessSeen], str]:
    """The witness of that name. Raises KeyError."""
    kind = name.removeprefix("event:")
    return event(kind) if kind != name else WITNESSES[name]
