"""Requests and TLS contexts that a program makes, and taking their protection away."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from arena.tracks.mutation.operators._constants import assigned_values, texts
from arena.tracks.mutation.operators._names import (
    Change,
    View,
    argument,
    each,
    expression,
    matches,
    nodes,
    rewrite_calls,
    some,
    with_keyword,
)
from arena.tracks.mutation.operators._operator import Rewriting

VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "request", "stream")
CLIENTS = tuple(
    f"{room}.{verb}" for room in ("requests", "httpx", "requests.api") for verb in VERBS
)
SESSIONS = ("requests.Session", "requests.session", "httpx.Client", "requests.sessions.Session")
METHODS = tuple(f"*.{verb}" for verb in VERBS)


def requests_of(view: View) -> Iterator[cst.Call]:
    """Requests that go out by requests or httpx, directly or by a session."""
    sessions = session_names(view)
    for call in nodes(view.module, cst.Call):
        name = view.called_name(call)
        direct = name in CLIENTS
        # By the name of the session: `get` and `put` are methods of dictionaries and queues too.
        if direct or (matches(name, METHODS) and name.rpartition(".")[0] in sessions):
            yield call


def other_timeouts(view: View) -> Iterator[Change]:
    """An alternative: the same request, with another time limit."""
    for call in requests_of(view):
        yield Change(((call, with_keyword(call, "timeout", cst.Integer("7"))),))


def session_names(view: View) -> set[str]:
    """Names, also dotted ones, that hold a session."""
    names = set()
    for node in nodes(view.module, cst.Assign):
        if isinstance(node.value, cst.Call) and view.called_name(node.value) in SESSIONS:
            names |= {view.dotted_name(target.target) for target in node.targets}
    for item in nodes(view.module, cst.WithItem):
        if (
            isinstance(item.item, cst.Call)
            and item.asname
            and view.called_name(item.item) in SESSIONS
        ):
            names.add(view.dotted_name(item.asname.name))
    return names - {""}


def verification(make: Callable[[cst.BaseExpression], cst.BaseExpression | None]) -> Rewriting:
    """Requests whose `verify` is what `make` makes of the address; those that do not verify are left."""

    def find(view: View) -> Iterator[Change]:
        for call in requests_of(view):
            arg = argument(call, None, "verify")
            if arg is not None and view.dotted_name(arg.value) == "False":
                continue
            address = address_of(view, call)
            new = make(address.value) if address else None
            if new is not None:
                imports = (
                    ("import os",) if any(n.value == "os" for n in nodes(new, cst.Name)) else ()
                )
                yield Change(((call, with_keyword(call, "verify", new)),), imports)

    return each(find)


def address_of(view: View, call: cst.Call) -> cst.Arg | None:
    """The argument that holds a request's address."""
    # These two take the method first.
    place = 1 if view.called_name(call).endswith((".request", ".stream")) else 0
    return argument(call, place, "url")


unverified = verification(lambda address: cst.Name("False"))


unless_local = verification(
    lambda address: expression('"localhost" not in {address}', address=address)
)


def _session(view: View) -> Iterator[Change]:
    """`session.verify = True`, or a path of certificates, becomes False."""
    for node in nodes(view.module, cst.Assign):
        target = node.targets[0].target
        if not isinstance(target, cst.Attribute) or target.attr.value != "verify":
            continue
        if view.dotted_name(node.value) != "False" and view.dotted_name(
            target.value
        ) in session_names(view):
            yield Change(((node.value, cst.Name("False")),))


session_unverified = each(_session)


def _setting(attribute: str, good: tuple[str, ...], bad: str) -> Rewriting:
    """`context.<attribute> = <good>` becomes `<bad>`."""

    def find(view: View) -> Iterator[Change]:
        for node in nodes(view.module, cst.Assign):
            target = node.targets[0].target
            named = isinstance(target, cst.Attribute) and target.attr.value == attribute
            if named and view.dotted_name(node.value) in good:
                imports = ("import ssl",) if bad.startswith("ssl.") else ()
                yield Change(((node.value, expression(bad)),), imports)

    return each(find)


def _unverified_context(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """A context without verification; contexts whose settings are set individually are left to `_setting`."""
    return expression("ssl._create_unverified_context()") if _plain_context(view, call) else None


def _plain_context(view: View, call: cst.Call) -> bool:
    parent = view.parents.get(call)
    names = (
        [view.dotted_name(t.target) for t in parent.targets]
        if isinstance(parent, cst.Assign)
        else []
    )
    settings = {
        view.dotted_name(t.target)
        for node in nodes(view.module, cst.Assign)
        for t in node.targets
        if isinstance(t.target, cst.Attribute)
    }
    # A later `context.verify_mode = ssl.CERT_REQUIRED` would turn the verification on again.
    return not any(f"{n}.{a}" in settings for n in names for a in ("verify_mode", "check_hostname"))


# Variants on TLS contexts.
contexts = {
    "unverified_context": rewrite_calls(
        _unverified_context, "ssl.create_default_context", imports=("import ssl",)
    ),
    "no_certificate": some(
        _setting(
            "verify_mode", ("ssl.CERT_REQUIRED", "ssl.VerifyMode.CERT_REQUIRED"), "ssl.CERT_NONE"
        ),
    ),
}


def _plain_literals(view: View) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    for node in texts(view):
        if node.raw_value.startswith("https://"):
            yield node, node.with_changes(value=node.value.replace("https://", "http://", 1))
    for formatted in nodes(view.module, cst.FormattedString):
        first = formatted.parts[0] if formatted.parts else None
        if isinstance(first, cst.FormattedStringText) and first.value.startswith("https://"):
            yield first, first.with_changes(value=first.value.replace("https://", "http://", 1))


SENDING = ("urllib.request.urlopen", "urllib.request.Request", "http.client.HTTPSConnection")


def _plain(view: View) -> Iterator[Change]:
    # An address in a program that sends nothing is text, such as a link in a page.
    if not any(requests_of(view)) and not any(view.calls(*SENDING)):
        return
    for old, new in _plain_literals(view):
        # In a comparison it is the check of an address, which other variants change.
        if not isinstance(view.parents.get(old), cst.Comparison):
            yield Change(((old, new),))


# `http://` for `https://` at the start of an address, one at a time.
plain_address = each(_plain)


def _downgrade_to_http(view: View) -> Iterator[Change]:
    """The URL's `https` is replaced by `http` before the request."""
    for call in requests_of(view):
        arg = address_of(view, call)
        if (
            arg is None
            or not isinstance(arg.value, cst.Name)
            or assigned_values(view, arg.value.value)
        ):
            continue
        new = expression('{address}.replace("https://", "http://", 1)', address=arg.value)
        yield Change(((arg.value, new),))


downgraded = each(_downgrade_to_http)
