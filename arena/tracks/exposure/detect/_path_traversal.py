"""Whether a name that an attacker chose can leave its folder. For every detector that asks so of a path."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable

from arena.tracks.exposure.detect._pattern_width import only
from arena.tracks.exposure.detect._replacements import ABSOLUTE, DOTS, SLASH, Rewrites
from arena.tracks.exposure.flow.facts import Check, Flow, TaintSource, Value

# Functions whose value holds no folder, or none but the one that they are given.
CLEANING = frozenset(
    (
        "os.path.basename", "werkzeug.utils.secure_filename", "django.utils.text.get_valid_filename",
        "django.utils.text.slugify", "slugify.slugify", "pathvalidate.sanitize_filename",
        "werkzeug.utils.safe_join", "werkzeug.security.safe_join", "flask.safe_join",
        "django.utils._os.safe_join", "uuid.UUID", "int", "float", ".hexdigest", ".digest",
    )
)  # fmt: skip
_LAST_PART = frozenset((".name", ".stem"))
_PATH = "pathlib."
_RELATIVE = "os.path.relpath"
NORMALISING = frozenset(
    ("os.path.abspath", "os.path.realpath", "os.path.normpath", ".resolve", _RELATIVE)
)
_TOGETHER = frozenset(("os.path.commonpath", "os.path.commonprefix", "os.path.dirname", ".parent"))
_PARTS = frozenset(
    (
        ".split",
        ".rsplit",
        ".partition",
        ".rpartition",
        "os.path.splitext",
        ".suffix",
        ".suffixes",
        "[:]",
        "len",
    )
)
_DECODING = frozenset(
    ("urllib.parse.unquote", "urllib.parse.unquote_plus", "base64.b64decode", ".decode")
)
_CHARACTERS = frozenset(("isalnum", "isalpha", "isdigit", "isdecimal", "isnumeric", "isidentifier"))
_ENDING = re.compile(r"\.?\w{1,5}")
_MATCHES = frozenset(("match", "fullmatch", "search"))

_NO_SEPARATOR = frozenset(string.printable) - {"/"}

# Names of parameters that hold a folder.
_FOLDER = re.compile(
    r"dir|folder|base|root|path|dest|out|home|workspace|location|prefix|storage|target",
    re.IGNORECASE,
)

# What a check can hold of a name besides DOTS, ABSOLUTE and SLASH: it stays inside as a whole.
WHOLE = "whole"
_NOTHING: Rewrites = {}


def escaping(
    value: Value, checks: Iterable[Check], flows: Iterable[Flow], rewritten: Rewrites = _NOTHING
) -> Flow | None:
    """The first of these flows of a value by which the path that it is can leave its folder, or None.

    rewritten: what the program takes out of names, see `rewrites`.
    """
    checks_known = tuple(checks)
    prefixed = _has_prefix(value)
    for flow in flows:
        if is_base(value, flow):
            continue
        gone = {what for step, what in rewritten.get(flow.source, ()) if step in flow.through}
        if not is_last_part(flow) and not is_confined(
            flow.source, flow.through, (*checks_known, *flow.checks), prefixed, gone
        ):
            return flow
    return None


def is_base(value: Value, flow: Flow) -> bool:
    """Whether data is the folder that a caller hands to a helper: a parameter that a path begins with.

    What the caller gives is the caller's business; what is put behind it must stay below.
    """
    if flow.source.kind != "parameter" or len(value.pieces) < 2:
        return False
    first, *rest = value.pieces
    begins = flow.source in {item.source for item in first.flows}
    again = any(item.source == flow.source for piece in rest for item in piece.flows)
    others = any(piece.untrusted_flows for piece in rest)
    return begins and not again and (others or _FOLDER.search(flow.source.name) is not None)


def is_confined(
    source: TaintSource,
    through: frozenset[str],
    checks: Iterable[Check],
    prefixed: bool,
    gone: Iterable[str] = (),
) -> bool:
    """Whether these checks hold data of a source in its folder.

    prefixed: a folder stands before it as text. gone: what was taken out of it before.
    """
    facets = set(gone)
    for check in checks:
        facets |= _facets(check, source, through)
    # Without "..", an absolute path still leads out where a join drops the folder before it.
    return bool(facets & {WHOLE, SLASH}) or (DOTS in facets and (prefixed or ABSOLUTE in facets))


def is_last_part(flow: Flow) -> bool:
    """Whether the data went through something that leaves no folder of it."""
    from_path = any(step.startswith(_PATH) for step in flow.through)
    return bool(flow.through & CLEANING) or (from_path and bool(flow.through & _LAST_PART))


def _has_prefix(value: Value) -> bool:
    """Text with a folder in front, that no join or Path takes apart: "images/" + name."""
    joined = any(
        step == "os.path.join" or step.startswith(_PATH)
        for flow in value.flows
        for step in flow.through
    )
    path = any(item.startswith(_PATH) for item in value.paths)
    return not joined and not path and bool(value.pieces) and bool(value.pieces[0].texts)


def _subject(
    value: Value, source: TaintSource, through: frozenset[str], parts: bool = False
) -> frozenset[str] | None:
    """What data of the source went through to be this value, None where it is not all of it.

    parts: a part of it will do.
    """
    for flow in value.flows:
        whole = parts or flow.through & _PARTS <= through
        if flow.source == source and whole and through & _DECODING <= flow.through:
            return flow.through
    return None


def _facets(check: Check, source: TaintSource, through: frozenset[str]) -> set[str]:
    reader = _READERS.get(check.operator)
    return reader(check, source, through) if reader else set()


def _membership(check: Check, source: TaintSource, through: frozenset[str]) -> set[str]:
    left, right = _subject(check.left, source, through), _subject(check.right, source, through)
    if left is None and check.holds and right is not None:
        return {WHOLE} if ".parents" in right and right & NORMALISING else set()
    if (
        left is None
        and not check.holds
        and _subject(check.right, source, through, parts=True) is not None
    ):
        if right and _RELATIVE in right and any(".." in text for text in check.left.texts):
            return {WHOLE}
        refused = {facet for text in check.left.texts for facet in _refused_facets(text)}
        return refused if right is not None else refused - {SLASH}
    if (
        left is None
        or not check.holds
        or check.right.untrusted_flows
        or _is_ending(left, check.right)
    ):
        return set()
    return _among(check.right)


def _is_ending(through: frozenset[str], allowed: Value) -> bool:
    """Whether a part of a name is looked up among endings such as "png": that says nothing of the rest."""
    members = [text for item in allowed.items or () for text in item.texts]
    members += [key for key in allowed.pairs or {} if isinstance(key, str)]
    every = members or list(allowed.texts)
    return bool(through & _PARTS and every) and all(map(_ENDING.fullmatch, every))


def _among(chosen: Value) -> set[str]:
    """What a member of a collection, or a part of a text, cannot be."""
    if not chosen.texts:
        return {WHOLE}
    return {SLASH} if chosen.exact and not any("/" in text for text in chosen.texts) else set()


def _refused_facets(text: str) -> set[str]:
    if ".." in text:
        return {DOTS}
    return {SLASH} if text == "/" else set()


def _equality(check: Check, source: TaintSource, through: frozenset[str]) -> set[str]:
    if not check.holds:
        return {ABSOLUTE} if "/" in check.right.texts else set()
    for first, second in ((check.left, check.right), (check.right, check.left)):
        steps = _subject(first, source, through)
        if steps is None:
            continue
        if _is_ending(steps, second):
            continue
        same = any(flow.source == source and is_last_part(flow) for flow in second.flows)
        apart = bool(steps & _TOGETHER and steps & NORMALISING) and not _is_tainted_folder(
            second, source
        )
        if same or apart or not (second.flows or steps & _TOGETHER):
            return {WHOLE}
    return set()


def _facets_of_call(check: Check, source: TaintSource, through: frozenset[str]) -> set[str]:
    method = next((path.rpartition(".")[2] for path in sorted(check.name)), "")
    receiver = _subject(check.left, source, through)
    arguments = check.right.items or ()
    is_argument = any(_subject(argument, source, through) is not None for argument in arguments)
    if method == "isabs" and is_argument and not check.holds:
        return {ABSOLUTE}
    if method in _MATCHES and is_argument and check.holds:
        return {WHOLE} if _is_matched(check, method) else set()
    if receiver is None:
        return set()
    if check.holds and _keeps_below(method, receiver, arguments, source):
        return {WHOLE}
    return _facets_of_method(method, receiver, arguments, check.holds)


def _is_tainted_folder(folder: Value, source: TaintSource) -> bool:
    """Whether the checked name, or whoever sends a request, has a say in the folder it is compared with.

    A folder that is a parameter confines what is below it: what the parameter may be is a separate question.
    """
    untrusted = any(flow.source.kind != "parameter" for flow in folder.untrusted_flows)
    return untrusted or any(flow.source == source for flow in folder.flows)


def _keeps_below(
    method: str, through: frozenset[str], arguments: tuple[Value, ...], source: TaintSource
) -> bool:
    """Whether a normalised path must be below a folder."""
    # Not normalised, "/srv/../etc" is below "/srv" as text.
    normal = bool(through & NORMALISING) and method in (
        "is_relative_to",
        "relative_to",
        "startswith",
    )
    return normal and bool(arguments) and not _is_tainted_folder(arguments[0], source)


def _facets_of_method(
    method: str, through: frozenset[str], arguments: tuple[Value, ...], holds: bool
) -> set[str]:
    normal = bool(through & NORMALISING)
    if holds and method in _CHARACTERS:
        return {WHOLE}
    if holds:
        return set()
    if method == "is_absolute":
        return {ABSOLUTE}
    graded_check = _starts(arguments, normal) if method == "startswith" and arguments else set()
    return {WHOLE} if DOTS in graded_check and _RELATIVE in through else graded_check


def _starts(arguments: tuple[Value, ...], normal: bool) -> set[str]:
    """What a text that starts with none of these is."""
    texts = [text for item in (arguments[0], *(arguments[0].items or ())) for text in item.texts]
    result = {ABSOLUTE} if "/" in texts else set()
    return (
        result | {DOTS} if normal and any(text in (".", "..", "../") for text in texts) else result
    )


def _is_matched(check: Check, method: str) -> bool:
    arguments = check.right.items or ()
    pattern = arguments[0] if len(arguments) > 1 else check.left
    return bool(pattern.texts) and all(only(text, _NO_SEPARATOR, method) for text in pattern.texts)


def _either(check: Check, source: TaintSource, through: frozenset[str]) -> set[str]:
    """What holds in each of several branches."""
    facets = [
        set().union(*(_facets(item, source, through) for item in branch))
        for branch in check.alternatives
    ]
    # Only what each of the branches ensures.
    return set.intersection(*map(_with_less, facets)) if facets else set()


def _with_less(facets: set[str]) -> set[str]:
    """What stays inside as a whole, or has no slash, can do none of the rest."""
    return facets | {WHOLE, SLASH, DOTS, ABSOLUTE} if facets & {WHOLE, SLASH} else facets


_READERS: dict[str, Callable[[Check, TaintSource, frozenset[str]], set[str]]] = {
    "in": _membership,
    "==": _equality,
    "call": _facets_of_call,
    "returned": _facets_of_call,
    "either": _either,
}
