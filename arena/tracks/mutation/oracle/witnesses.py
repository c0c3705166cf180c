"""Witnesses of a successful attack: what a call did on the mutant, and on the secure program.

Each witness returns a description, or "" for nothing. `event:<kind>` stands for any kind of event.
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

MAX_DETAIL = 200


@dataclass(frozen=True)
class WitnessSeen:
    """A call on both programs, with all events of it, and both sources.

    planted: texts that may be attacks and reached the program by means besides this call.
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


# Events that are weak by what is made in them.
WEAK_OBJECT_EVENTS = frozenset({"key.weak", "hash.weak", "cipher.weak", "random.weak"})


def event(kind: str) -> Callable[[WitnessSeen], str]:
    """The event happened on the mutant, and not with this detail on the secure program.

    A weak object counts for nothing when only the mutant's call fails: it is broken, and returns nothing.
    """

    def witness(comparison: WitnessSeen) -> str:
        if kind in WEAK_OBJECT_EVENTS and comparison.mutant.raised and not comparison.secure.raised:
            return ""
        before = [e.detail for e in comparison.secure_events if e.kind == kind]
        for happened in comparison.mutant_events:
            if happened.kind == kind and (not before or _is_new(happened, before)):
                return f"{kind}: {happened.detail[:MAX_DETAIL]}"
        return ""

    return witness


def _is_new(happened: Event, before: list[str]) -> bool:
    """Whether a kind that the secure program shows too is new here: only with a new detail."""
    return mask_detail(happened.detail) not in {mask_detail(detail) for detail in before}


def refusal_lost(comparison: WitnessSeen) -> str:
    """The secure program refused; the mutant did it."""
    if not is_refusal(comparison.secure, comparison.secure_code):
        return ""
    if comparison.mutant.raised:
        return _further(comparison)
    result = comparison.mutant.returned or ""
    nothing = denies(value_of(result), result)
    if comparison.secure.raised:  # a refusal by exception: nothing found is no refusal
        nothing = nothing and not is_empty(value_of(result))
    if nothing:
        return ""
    return f"refused with {_outcome(comparison.secure)}, now {_outcome(comparison.mutant)}"


def _further(comparison: WitnessSeen) -> str:
    """The mutant went on past the refusal, and failed in something that is no refusal."""
    refusals = {
        *PROGRAMMING,
        *REFUSING,
        *raised_by(comparison.mutant_code),
        comparison.secure.raised,
    }
    if not comparison.secure.raised or (
        comparison.mutant.raised in refusals and not _lacks_name(comparison)
    ):
        return ""
    return f"refused with {_outcome(comparison.secure)}, now it goes on to {_outcome(comparison.mutant)}"


def _lacks_name(comparison: WitnessSeen) -> bool:
    """Whether the mutant reached a name that the secure program does not bind, and nobody supplies."""
    named = re.fullmatch(r"name '(\w+)' is not defined", comparison.mutant.text)
    return named is not None and named[1] in unbound(comparison.secure_code)


def _outcome(call: MockCall) -> str:
    if call.raised:
        return f"{call.raised}: {call.text[:80]}"
    return f"the result {(call.returned or '')[:80]}"


def _only_on_mutant(comparison: WitnessSeen, text: str) -> bool:
    """Whether the mutant's result (no exception) holds the text, and the secure program's does not."""
    if comparison.mutant.raised or not _contains(comparison.mutant, text):
        return False
    return bool(comparison.secure.raised) or not _contains(comparison.secure, text)


def html(comparison: WitnessSeen) -> str:
    """An argument's markup comes back unescaped."""
    # Bounded pieces of an argument, not the whole text: a program may put other text around or cut it.
    markup = r"<[a-zA-Z/!][^<>]{0,80}>?|[\"']\s{0,3}on\w+\s{0,3}=|javascript:"
    return _comes_back(comparison, markup, "unescaped")


def line_break(comparison: WitnessSeen) -> str:
    """A line break or control character of an argument comes back raw."""
    return _comes_back(comparison, r"[\r\n\0\x1b][^\r\n]{1,40}", "raw")


def _comes_back(comparison: WitnessSeen, pattern: str, how: str) -> str:
    for part in (part for text in comparison.argument_texts for part in re.findall(pattern, text)):
        if _only_on_mutant(comparison, part):
            return f"{part!r} stands {how} in the result"
    return ""


def special(comparison: WitnessSeen) -> str:
    """An argument with special elements comes back as it was; the secure program changed or refused it."""
    for text in texts_of(comparison.mutant.arguments):
        plain = re.fullmatch(r"[\w .@-]*", text)
        if not plain and _only_on_mutant(comparison, text):
            return f"{text[:80]!r} comes back as it was"
    return ""


def offsite(comparison: WitnessSeen) -> str:
    """The result leads to a host that the program's source does not name, nor a parent of it."""
    for text in comparison.argument_texts:
        if foreign(text, comparison.secure_code) and _only_on_mutant(comparison, text):
            return f"the result leads to {text[:120]!r}"
    return ""


CANARY = re.compile(r"canary-\w+|secret\w{3,}|password=\S+|s3cr3t\w*", re.IGNORECASE)


def secret(comparison: WitnessSeen) -> str:
    """A secret of an argument, an exception or the environment is leaked, in the result or a message."""
    for text in (comparison.mutant.arguments, comparison.secure.text, "Traceback (most recent"):
        secrets = CANARY.findall(text) or ([text] if text.startswith("Traceback") else [])
        for part in secrets:
            if _contains(comparison.mutant, part) and not _contains(comparison.secure, part):
                return f"{part[:60]!r} is told"
    for name in ('File "', "Error("):
        if _contains(comparison.mutant, name) and not _contains(comparison.secure, name):
            return f"the result tells internals ({name!r})"
    mutant_text, secure_text = (
        comparison.mutant.returned or comparison.mutant.text,
        comparison.secure.returned or comparison.secure.text,
    )
    raised = re.findall(r"\b\w+(?:Error|Exception)\b", mutant_text)
    return f"the result tells {raised[0]}" if raised and raised[0] not in secure_text else ""


def literal_secret(comparison: WitnessSeen) -> str:
    """A literal that only the mutant's source holds is returned or used as a credential."""
    details = {
        event.detail for event in comparison.mutant_events if event.kind == "credential.used"
    }
    for text in literals_of(comparison.mutant_code) - literals_of(comparison.secure_code):
        if len(text) > 2 and (
            _contains(comparison.mutant, text) or any(text in t for t in details)
        ):
            return f"the literal {text[:40]!r} is used"
    before = {e.detail for e in comparison.secure_events if e.kind in ("env.secret", "env.read")}
    after = {e.detail for e in comparison.mutant_events if e.kind in ("env.secret", "env.read")}
    if gone := before - after:
        return f"{min(gone)} is no longer read from the environment"
    return ""


@lru_cache(maxsize=512)
def literals_of(code: str) -> frozenset[str]:
    values = (n.value for n in ast.walk(syntax_tree(code)) if isinstance(n, ast.Constant))
    return frozenset(
        v.decode("latin-1") if isinstance(v, bytes) else v
        for v in values
        if isinstance(v, str | bytes)
    )


def outside(comparison: WitnessSeen) -> str:
    """A path that leads out of the base was opened, or returned, and the secure program did neither."""
    argument_texts = texts_of(comparison.mutant.arguments)
    climbing = [t for t in argument_texts if ".." in t or t.startswith(("/", "\\", "~", "file:"))]
    folders = bases(literals_of(comparison.secure_code), argument_texts)
    before = {mask_detail(e.detail) for e in comparison.secure_events if e.kind == "file.opened"}
    for happened in comparison.mutant_events:
        new = happened.kind == "file.opened" and mask_detail(happened.detail) not in before
        path = happened.detail.partition(" ")[2]
        if new and not inside(path, folders) and escapes(path, climbing):
            return f"opened {happened.detail[:MAX_DETAIL]}"
    return _returned_outside(comparison, climbing, folders) or _missing_file(
        comparison, climbing, folders
    )


def _returned_outside(
    comparison: WitnessSeen, climbing: list[str], folders: tuple[str, ...]
) -> str:
    returned = comparison.mutant.returned or ""
    for text in climbing:
        last = re.split(r"[/\\]", text)[-1]
        held = any(inside(path, folders) for path in texts_of(returned) if last in path)
        # Shorter names stand in many results by chance.
        if len(last) > 2 and not held and _only_on_mutant(comparison, last):
            return f"{text[:80]!r} leads to {returned[:80]}"
    return ""


def _missing_file(comparison: WitnessSeen, climbing: list[str], folders: tuple[str, ...]) -> str:
    """The mutant looked for a file that is not there, where the secure program refused to."""
    failed = comparison.mutant.raised in (
        "FileNotFoundError",
        "IsADirectoryError",
        "NotADirectoryError",
    )
    if (
        failed
        and climbing
        and comparison.secure.raised not in (*PROGRAMMING, "", comparison.mutant.raised)
    ):
        tried = re.search(r"'([^']*)'", comparison.mutant.text)
        if tried and not inside(tried.group(1), folders):
            return f"tried to open {tried.group(1)[:120]}"
    return ""


def mask_detail(detail: str) -> str:
    """A detail without what is new in each run: names of temporary files, and numbers."""
    # Eight characters after "tmp": the names that Python's `tempfile` makes.
    return re.sub(r"\btmp[a-z0-9_]{8}\b|[0-9a-f]{6,}|\d+", "#", detail)


def exposed_file(comparison: WitnessSeen) -> str:
    """A file is left with more rights for group or others than on the secure program."""
    both = (comparison.mutant_events, comparison.secure_events)
    weak, held = ([e.detail for e in events if e.kind == "file.mode"] for events in both)
    return widened_rights(weak, held, mask_detail)


PRIVILEGED = re.compile(
    r"[\"']?((?:is_)?(?:admin|staff|superuser|verified|active)|role|roles|permissions?|balance|credits|owner(?:_id)?"
    r"|price|password_hash|status|plan|tier)[\"']?\s*[:=]\s*([^,})]{1,40})"
)


def assigned_privilege(comparison: WitnessSeen) -> str:
    """A privileged field of the argument is set on the result, and was not on the secure program's."""
    asked_fields = set(PRIVILEGED.findall(comparison.mutant.arguments))
    got = set(PRIVILEGED.findall(comparison.mutant.returned or ""))
    for field, value in sorted(
        (asked_fields & got) - set(PRIVILEGED.findall(comparison.secure.returned or ""))
    ):
        return f"{field} = {value}"
    return ""


def plaintext(comparison: WitnessSeen) -> str:
    """A secret argument comes back, or is stored, in clear."""
    stored = {
        e.detail for e in comparison.mutant_events if e.kind in ("stored", "sql.interpolated")
    }
    before = {
        e.detail for e in comparison.secure_events if e.kind in ("stored", "sql.interpolated")
    }
    for text in texts_of(comparison.mutant.arguments):
        # A short text such as "id" stands in any result by chance.
        if len(text) < 6:
            continue
        if (
            _contains(comparison.mutant, text)
            and not _contains(comparison.secure, text)
            and not comparison.secure.raised
        ):
            return f"{text[:60]!r} comes back in clear"
        if any(text in t for t in stored - before):
            return f"{text[:60]!r} is stored in clear"
    return ""


def formula(comparison: WitnessSeen) -> str:
    """A text of an argument that a spreadsheet works out stands at a cell's beginning in the result."""
    for text in comparison.argument_texts:
        if re.match(r"[\s\u200b]*[=+@\uff1d\uff0b\uff20-]", text) and len(text) > 1:
            cell = re.compile(r"(?:^|[,;\t\n])\"?" + re.escape(text))
            now, before = (
                value_of(comparison.mutant.returned or ""),
                value_of(comparison.secure.returned or ""),
            )
            if isinstance(now, str) and cell.search(now) and not cell.search(str(before)):
                return f"{text[:40]!r} begins a cell"
    return ""


def shorter(comparison: WitnessSeen) -> str:
    """What comes back is random bytes or their text, of fewer than 128 bits, and was longer."""
    now, before = (
        value_of(comparison.mutant.returned or ""),
        value_of(comparison.secure.returned or ""),
    )
    if not isinstance(now, str | bytes) or type(now) is not type(before) or not now:
        return ""
    # A text of hexadecimal digits has two for each byte.
    longest_usual = ENOUGH if isinstance(now, bytes) else 2 * ENOUGH
    if len(now) < longest_usual and len(now) < len(before) and not re.search(rb"\s", _octets(now)):
        return f"the result has {len(now)} characters or bytes, and had {len(before)}"
    return ""


# Bytes of a key or digest that hold (NIST SP 800-131A revision 2, Table 1: 112 bits at least, 128 here).
ENOUGH = 16


def _octets(value: str | bytes) -> bytes:
    return value.encode("utf-8", "replace") if isinstance(value, str) else value


def pattern(comparison: WitnessSeen) -> str:
    """An argument is used as a regular expression: a malformed pattern raises where it was a plain text."""
    broken = comparison.mutant.raised in ("error", "PatternError") and not comparison.secure.raised
    return f"the argument is compiled as a pattern: {comparison.mutant.text[:80]}" if broken else ""


def slow(comparison: WitnessSeen) -> str:
    """A call takes more than a second of CPU, and did not on the secure program."""
    return event("slow")(comparison)


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
    "repeated": lambda comparison: "",  # of two calls, not of one: see `prove.compare`
}


def witness(name: str) -> Callable[[WitnessSeen], str]:
    """The witness of that name. Raises KeyError."""
    kind = name.removeprefix("event:")
    return event(kind) if kind != name else WITNESSES[name]
