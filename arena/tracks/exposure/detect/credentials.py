"""A literal that works as a credential (CWE-798): compared, looked up, or handed to a connection.

Any literal that is not empty counts, a placeholder too: it is what the program works with as it stands. The
length and the entropy of the literal do not matter: `password == "admin"` is as bad as a long password.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from arena.tracks.exposure.detect import _credential_calls
from arena.tracks.exposure.detect._credential_checks import (
    Comparisons,
    chosen_elsewhere,
    hashes_password,
    patterns,
)
from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    safe,
    vulnerable,
)
from arena.tracks.exposure.detect._literals import address, literal, within
from arena.tracks.exposure.detect._secrets import is_password, is_secret, is_user
from arena.tracks.exposure.flow.facts import Assignment, ProgramFacts, Value

# What settings are kept in: `app.secret_key`, `app.config['DB_PASSWORD']`, `os.environ['PGPASSWORD']`.
_CONFIGURED = re.compile(
    r"(?:app|application|config|conf|cfg|settings|environ|\w+\.config|\w+\.conf)\b"
)
_TARGET = re.compile(r"^(?P<holder>.*?)(?:\.(?P<name>\w+)|\['(?P<key>[^']*)'\])$")
# Keys as the providers' documents describe them: OpenAI, Stripe, GitHub, AWS, Google, a JWT and others.
_PROVIDERS = re.compile(
    r"(?:sk|pk|rk)[-_](?:live[-_]|test[-_]|proj[-_]|ant[-_])?[A-Za-z0-9_-]{16,}|(?:sk|pk|rk)_live_\w{8,}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{15,}|AKIA[A-Z0-9]{12,}|AIza[\w-]{30,}"
    r"|xox[abprs]-[\w-]{10,}|SG\.[\w-]{16,}\.[\w-]{16,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}"
    r"|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"
)
_FRAMEWORK = re.compile(r"(?:\w+_)?SECRET_KEY")
_ADDRESSED = re.compile(r"ur[il]|dsn|database|conn|engine|(?:^|_)db(?:$|_)", re.IGNORECASE)
_RECORDS = re.compile(
    r"user|account|credential|moderator|login|admin|(?:^|_)mods?(?:$|_)|member|people|database"
    r"|config|settings|(?:^|_)db",
    re.IGNORECASE,
)


def judge(facts: ProgramFacts) -> Finding:
    results = list(_findings(facts))
    for verdict in (Verdict.VULNERABLE, Verdict.SAFE):
        chosen = [item for item in results if item.verdict is verdict]
        if chosen:
            return min(chosen, key=lambda item: item.line)
    return not_applicable("no credential is compared, looked up or handed on")


def _findings(facts: ProgramFacts) -> Iterator[Finding]:
    hashes = any(map(hashes_password, facts.calls))
    yield from Comparisons(facts).findings()
    yield from patterns(facts)
    yield from _credential_calls.findings(facts, chosen_elsewhere(facts), hashes)
    loads, modules = any(facts.calls_ending_with(".from_object")), _modules(facts.tree)
    for assignment in facts.assignments:
        yield from _judge_assignment(assignment, loads, modules)
    yield from _find_provider_keys(facts.tree)


def _modules(tree: ast.Module) -> frozenset[str]:
    """Names that imported modules go by."""
    every = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return frozenset(
        (name.asname or name.name).partition(".")[0] for node in every for name in node.names
    )


def _find_provider_keys(tree: ast.Module) -> Iterator[Finding]:
    """Text that has the shape of a provider's key, wherever it is and whatever it is called."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        # The whole text: within a longer one it is a part of something else.
        if _PROVIDERS.fullmatch(node.value):
            yield vulnerable(node.lineno, f"a literal has the shape of a key: {node.value[:7]}...")


def _judge_assignment(
    assignment: Assignment, loads: bool, modules: frozenset[str]
) -> Iterator[Finding]:
    """What a setting says. loads: the program takes its constants as settings; modules: names of imports."""
    parts = _TARGET.match(assignment.target)
    name = (parts["name"] or parts["key"] or "") if parts else assignment.target
    configured = parts is not None and (
        _CONFIGURED.search(parts["holder"]) is not None or parts["holder"].split(".")[0] in modules
    )
    # Flask's `from_object` takes names of capitals only.
    constant = loads and parts is None and name.isupper()
    if configured or constant or _FRAMEWORK.fullmatch(name):
        if is_secret(name):
            weak = literal(assignment.value) is not None
            yield (vulnerable if weak else safe)(assignment.line, _why(assignment, weak))
    elif is_secret(name) and _falls_back(assignment.value):
        yield vulnerable(assignment.line, f"{assignment.target} falls back to a literal")
    if _ADDRESSED.search(name):
        if address(assignment.value):
            yield vulnerable(
                assignment.line, f"{assignment.target} is an address with a literal password in it"
            )
        elif configured:
            yield safe(assignment.line, f"{assignment.target} has no literal password in it")
    if _RECORDS.search(name) and _records(assignment.value):
        yield vulnerable(assignment.line, f"{assignment.target} holds users with literal passwords")


def _why(assignment: Assignment, weak: bool) -> str:
    return f"{assignment.target} is {'a' if weak else 'no'} literal"


def _falls_back(value: Value) -> bool:
    return literal(value) is not None and any(flow.source.kind == "env" for flow in value.flows)


def _records(value: Value) -> bool:
    """Whether it holds a dict with a user's or a host's name beside a literal password."""
    holders = (value, *(value.items or ()), *(item for _, item in within(value)))
    return any(
        isinstance(key, str) and is_password(key) and literal(pair) and _is_beside_user(holder)
        for holder in holders
        for key, pair in (holder.pairs or {}).items()
    )


def _is_beside_user(holder: Value) -> bool:
    keys = [key for key in holder.pairs or {} if isinstance(key, str)]
    return any(is_user(key) or "host" in key.lower() for key in keys)


EXAMPLES = (
    DetectorExample(
        "a password is compared with a literal",
        "def is_moderator(username, password):\n"
        "    return username == 'mod' and password == 'orange'\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "a connection with a literal password",
        "import MySQLdb\n\nconnection = MySQLdb.connect('localhost', 'root', 'root', 'test')\n",
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "the password of the environment",
        "import os\nimport MySQLdb\n\n"
        "connection = MySQLdb.connect(host='localhost', user='root', passwd=os.environ['DB_PASSWORD'])\n",
        Verdict.SAFE,
    ),
    DetectorExample(
        "a row of the database",
        "def is_moderator(cursor, username, password):\n"
        "    cursor.execute('SELECT password FROM moderators WHERE name = %s', (username,))\n"
        "    row = cursor.fetchone()\n"
        "    return row is not None and row[0] == password\n",
        Verdict.SAFE,
    ),
    DetectorExample(
        "the key of a library",
        'import weatherlib\n\nweatherlib.api_key = "d41f-forecast-77"\n',
        Verdict.VULNERABLE,
    ),
    DetectorExample(
        "no credential at all",
        "def total(prices):\n    return sum(prices)\n",
        Verdict.NOT_APPLICABLE,
    ),
)

PLUGIN = Detector("literal credentials", ("CWE-798", "CWE-259"), judge, EXAMPLES)
