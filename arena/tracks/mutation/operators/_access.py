"""What operators on authentication and authorisation share: topics, and people who attack."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import libcst as cst

from arena.tracks.mutation.operators._guards import Rule, Spot, guards, remove_guards
from arena.tracks.mutation.operators._names import Change, View, nodes
from arena.tracks.mutation.operators._scopes import source

AUTHENTICATION = (
    r"auth|log_?in|session|credential|token|api_?key|signature|password|anonym|permission|admin|role"
    r"|superuser|staff|\buser\b|access|\b40[13]\b"
)
# What only compares magnitudes (a balance, a number of members) is no question of who.
AUTHORISATION = (
    r"(?s)^(?!magnitude:).*(owner|member|user|group)"
    r"|admin|role|permission|privilege|scope|superuser|staff|access|author|forbid"
    r"|denied|\b403\b|grant|clearance|level"
)
DECORATORS = (
    r"auth|log_?in|session|permission|require|role|admin|token|protect|access|scope|jwt|user"
)

_BARE = "__import__('types').SimpleNamespace"
_MIGHTY = (
    "_record(id=98, user_id=98, username='root', role='admin', is_admin=True, is_staff=True,"
    " is_superuser=True, is_active=True, is_authenticated=False, has_permission=lambda *a: True,"
    " has_role=lambda *a: True)"
)

# Users who must not get in: another one, a guest, nobody, a privileged one who has not logged in, one of
# whom nothing is known.
USERS = (
    "_other()",
    "_guest()",
    "None",
    "_record(id=None, is_authenticated=True)",
    "_privileged()",
    _MIGHTY,
    f"{_BARE}(id=98, is_authenticated=True)",
    "{'id': 98, 'role': 'user'}",
    "''",
    "'mallory'",
)

REQUESTS = (
    "_request(user=_other())",
    "_request(user=_guest())",
    "_request(user=None)",
    "_request(user=_privileged())",
    f"_request(user={_MIGHTY})",
    f"{_BARE}(user={_BARE}(id=98, is_authenticated=True), headers={{}}, session={{}})",
    "_request(headers={'Authorization': 'Bearer wrong'}, session={})",
    "_request(headers={'Authorization': 'Bearer '})",
)
IDS = ("99", "9", "98", "'99'", "10", "2", "4", "0", "-1", "None", "''")
TOKENS = ("'wrong'", "''", "None", "'a'", "'Bearer '", "'Bearer wrong'")
SCHEME = re.compile(r"""["'](bearer|basic|digest|token|apikey)\s*["']""", re.IGNORECASE)


def removed_but_scheme(topic: str) -> Callable[[View], Iterator[Change]]:
    """Finds: each guard on a topic removed alone, except a guard that checks only a scheme's name."""

    def find(view: View) -> Iterator[Change]:
        for guard in guards(view, topic):
            test = guard.test
            # Who sends the token under another scheme's name has the token all the same: that is no weakness.
            alone = isinstance(test, cst.Comparison) and SCHEME.search(source(test))
            if guard.removal and not alone:
                yield remove_guards([guard])

    return find


def but_scheme(rule: Rule) -> Rule:
    """A rule that keeps comparisons with a scheme's name: who holds the token may call it anything."""

    def keeping(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
        compared = [source(n) for n in nodes(spot.node, cst.Comparison) if SCHEME.search(source(n))]
        for new in rule(view, spot):
            if all(text in source(new) for text in compared):
                yield new

    return keeping
