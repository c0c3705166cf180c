"""Where a program redirects a browser, and which checks hold there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from arena.tracks.exposure.flow.facts import Assignment, CallFact, Check, Flow, ProgramFacts, Value

# Of one program, that are looked at.
MAX_REDIRECTS = 20
# The last name of a framework's function -> how its target is called; it is the first argument otherwise.
#
# From the documentation of Flask, Werkzeug, Quart, Django, Starlette, Bottle, Tornado, aiohttp, Pyramid,
# WebOb, Falcon, Sanic, CherryPy and web.py.
_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "redirect": ("location", "to", "url", "uri"),
    "redirect_to": ("url", "location"),
    "redirect_with_status": ("url",),
    "HttpResponseRedirect": ("redirect_to",),
    "HttpResponsePermanentRedirect": ("redirect_to",),
    "RedirectResponse": ("url",),
    "HTTPFound": ("location",),
    "HTTPSeeOther": ("location",),
    "HTTPMovedPermanently": ("location",),
    "HTTPTemporaryRedirect": ("location",),
    "HTTPPermanentRedirect": ("location",),
    "HTTPMultipleChoices": ("location",),
    "HTTPUseProxy": ("location",),
    "HTTPStatusMovedPermanently": ("location",),
    "HTTPRedirect": ("urls", "url"),
    "seeother": ("url",),
    "found": ("url",),
    "tempredirect": ("url",),
}
_MODULES = re.compile(
    r"(?:flask|werkzeug|quart|django|fastapi|starlette|bottle|tornado|aiohttp|pyramid|webob|falcon|sanic|cherrypy|web"
    r"|litestar|responder|robyn|httpexceptions|exc)\b.*"
)
# A method of a handler or of a response: self.redirect, res.redirect.
_METHOD = re.compile(r"(?:<[^>]*>\(\)|.*[$?]\w+|.*\))\.redirect")
_SETTERS = (
    "set_header",
    "add_header",
    "setdefault",
    "add",
    "send_header",
    "__setitem__",
    "set",
    "setHeader",
)
_LOCATION_KEY = re.compile(r".*\[['\"]location['\"]\]|.*\.location", re.IGNORECASE)
_CGI_LOCATION = re.compile(r"\s*location:\s*", re.IGNORECASE)
_FIELD = re.compile(r"[\[(]['\"]([^'\"]+)['\"]")
# Sources that name this site itself.
_OWN_ADDRESS = re.compile(
    r".*\b(?:request|req)\.(?:url|base_url|url_root|host_url|root_url|full_path|path|host|script_root|url_rule"
    r"|get_full_path\(.*|build_absolute_uri\(.*|get_host\(.*|url_for\(.*|scheme|endpoint)(?:\..*)?"
)


Key = tuple[str, str]


def key_of(flow: Flow) -> Key:
    """The identity of data: the same field of a request is the same data each time that it is read."""
    # Two readings, request.args['next'] and request.args.get('next'), are written differently.
    field = _FIELD.search(flow.source.name)
    return flow.source.kind, field[1] if field else flow.source.name


def is_own_address(flow: Flow) -> bool:
    """Whether the data is the address at which this site itself was requested."""
    return _OWN_ADDRESS.fullmatch(flow.source.name) is not None


@dataclass(frozen=True)
class Redirect:
    """Where a browser is sent, as `target`, by something called `name`; `checks` hold then."""

    target: Value
    checks: tuple[Check, ...]
    name: str
    line: int

    @property
    def untrusted_flows(self) -> tuple[Flow, ...]:
        """Flows of the target that an attacker can choose."""
        return tuple(flow for flow in self.target.untrusted_flows if not is_own_address(flow))

    @property
    def data(self) -> frozenset[Key]:
        """What tests of the target are about: what an attacker can choose of it, else all of it."""
        # The site's own address is no choice of an attacker: tests of it say nothing of the target.
        flows = self.untrusted_flows or tuple(
            flow for flow in self.target.flows if not is_own_address(flow)
        )
        if flows:
            return frozenset(map(key_of, flows))
        # Without any flow the target is known by its name only, as with a parameter of a function.
        return frozenset(("path", path) for path in self.target.paths if not self.target.exact)

    @property
    def source(self) -> str:
        """The name of the first source of the target."""
        flows = self.untrusted_flows or tuple(self.target.flows)
        return next((flow.source.name for flow in flows), "the target")


def redirects(facts: ProgramFacts) -> Iterator[Redirect]:
    """All redirects of a program, in order."""
    for call in facts.calls:
        target = _target(call)
        if target is not None:
            yield Redirect(target, call.checks, _call_name(call), call.line)
    for assignment in facts.assignments:
        if _is_location(assignment):
            yield Redirect(
                assignment.value, assignment.checks, "the Location header", assignment.line
            )
    for item in facts.returns:
        # What a handler returns is the body of a page, no header.
        if not item.handler and (target := _location_address(item.value)) is not None:
            yield Redirect(target, item.checks, "the Location header that is returned", item.line)


def _location_address(value: Value) -> Value | None:
    """The address of text that is assembled into a Location header, None for any different text."""
    first = value.pieces[0] if value.pieces else Value()
    match = _CGI_LOCATION.match(next(iter(first.texts), ""))
    # A single piece is a constant, with nothing in it to choose.
    if match is None or len(value.pieces) < 2:
        return None
    # What follows the header's name in the constant is the beginning of the address, "https://own.site/" say.
    rest = next(iter(first.texts))[match.end() :]
    start = (Value(constants=frozenset((rest,)), exact=True),) if rest else ()
    return Value(flows=value.flows, pieces=(*start, *value.pieces[1:]))


def open_redirects(facts: ProgramFacts) -> list[Redirect]:
    """Redirects to a target that is not constant, up to MAX_REDIRECTS; an attacker's choice comes first."""
    results = [redirect for redirect in redirects(facts) if redirect.data]
    # Before the cut, so that what an attacker chooses is never left out for constants.
    return sorted(results, key=lambda item: not item.untrusted_flows)[:MAX_REDIRECTS]


def _call_name(call: CallFact) -> str:
    return min((path.rpartition(".")[2] for path in call.paths), default="a redirect")


def _is_location(assignment: Assignment) -> bool:
    if not _LOCATION_KEY.fullmatch(assignment.target):
        return False
    # Many objects have a `location`: it is a header only where a response or headers have it.
    owner = assignment.target.lower()
    return "headers" in owner or "resp" in owner or owner.endswith("['location']")


def _target(call: CallFact) -> Value | None:
    for path in sorted(call.paths):
        name = path.rpartition(".")[2]
        # Names such as `found` and `redirect` are common: those of a framework or a handler count.
        if name in _FUNCTIONS and _is_framework(path, name):
            return call.argument(0, *_FUNCTIONS[name])
        if name in _SETTERS and len(call.arguments) > 1 and _says_location(call.arguments[0]):
            return call.arguments[1]
    headers = call.keywords.get("headers")
    # Any response with a Location header is taken; its status is not looked at.
    if headers is not None and headers.pairs is not None:
        for key, value in headers.pairs.items():
            if isinstance(key, str) and key.lower() == "location":
                return value
    return _cgi_location(call) if call.is_("print") else None


def _is_framework(path: str, name: str) -> bool:
    # "?" is a name that the program never bound.
    if _MODULES.fullmatch(path) or path in (f"?{name}", f"?web.{name}"):
        return True
    return name == "redirect" and _METHOD.fullmatch(path) is not None


def _says_location(key: Value) -> bool:
    return any(text.lower() == "location" for text in key.texts)


def _cgi_location(call: CallFact) -> Value | None:
    """print("Location: " + url) of a CGI script."""
    for argument in call.arguments[:1]:
        texts = argument.pieces[0].texts if argument.pieces else argument.texts
        if any(_CGI_LOCATION.match(text) for text in texts):
            # print("Location:", url) has the address as its next argument.
            return call.arguments[1] if len(call.arguments) > 1 else argument
    return None
