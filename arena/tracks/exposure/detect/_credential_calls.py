"""Calls that a credential is handed to: connections, logins, checks of a hash, look-ups with a default."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from arena.tracks.exposure.detect._credential_checks import DIGESTS
from arena.tracks.exposure.detect._detector import Finding, safe, vulnerable
from arena.tracks.exposure.detect._literals import address, literal, within
from arena.tracks.exposure.detect._secrets import is_password, is_secret, names_of
from arena.tracks.exposure.flow.facts import CallFact, ProgramFacts, Value

# Which argument of a function is the credential. Facts of the libraries' documentation.
_POSITIONS: tuple[tuple[str, int], ...] = (
    (r"[?$]?(?:MySQLdb|pymysql|mariadb|pymssql|mysql\.connector|mysql|aiomysql)\.[cC]onnect(?:ion)?", 2),
    (r"(?:mysql\.connector\.MySQLConnection|pymysql\.(?:connections\.)?Connection|ftplib\.FTP(?:_TLS)?)", 2),
    (r"(?:cx_Oracle|oracledb)\.(?:connect|Connection|SessionPool)", 1),
    (r"requests\.auth\.\w+|aiohttp\.BasicAuth|httpx\.(?:Basic|Digest)Auth|pika\.\S*PlainCredentials", 1),
    (r"(?:redis\.)(?:Strict)?Redis", 3),
    (r"(?:smtplib|ftplib|imaplib|poplib|telnetlib)\.\S+\.login", 1),
    (r"pymongo\.\S+\.authenticate|\S*\.login_user|praw\.\S+\.login", 1),
    (r"(?:jwt|jose\.jwt)\.(?:encode|decode)", 1),
    (r"itsdangerous\.\w+", 0),
    (r"cryptography\.fernet\.Fernet", 0),
    (r"(?:werkzeug\.security\.|flask_bcrypt\.|\S*bcrypt\S*\.)check_password_hash", 0),
    (r"\S*\bcheckpw", 1),
    (r"(?:django\.contrib\.auth\.hashers\.|\?)?check_password", 1),
    (r"passlib\.\S+\.verify", 1),
    (r"argon2\.\S+\.verify", 0),
    (r"\S*(?:generate_password_hash|make_password|hashpw|get_password_hash)", 0),
)  # fmt: skip
_TABLE = tuple((re.compile(pattern), position) for pattern, position in _POSITIONS)
# A class of a library, by how classes are named.
_CONSTRUCTOR = re.compile(r"[a-zA-Z]\w*(?:\.\w+)*\.[A-Z]\w*[a-z]\w*")
_KEY_NAME = re.compile(r"(?:^|_)(?:key|token|secret)$", re.IGNORECASE)
# Text that nobody would think of: long, of small and capital letters and digits.
_RANDOM = re.compile(r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_~+/=.-]{20,}")
_MAKES_HASH = re.compile(
    r"\S*(?:generate_password_hash|make_password|hashpw|get_password_hash)|hashlib\..*"
    r"|passlib\.\S+\.hash"
)
_CONNECTS = re.compile(
    r"(?!(?:socket|asyncio)\.)\S*(?:[.?]|^)(?:connect|create_engine|create_async_engine"
    r"|engine_from_config|MongoClient|Redis"
    r"|StrictRedis|SQLAlchemy|MySQL|PyMongo|Connection|create_pool|login|authenticate|login_user"
    r"|check_password"
    r"|check_password_hash|checkpw|verify_password|HTTPBasicAuth|get_connection|PooledMySQLDatabase"
    r"|MySQLDatabase"
    r"|PostgresqlDatabase|basic_auth|FTP|ConnectionPool|SimpleConnectionPool|connect_db)"
)  # fmt: skip
# Calls whose keywords are names of columns or of pieces of text, or which are followed anyhow.
_NO_CREDENTIAL = re.compile(
    r"<.*|dict|print|\S*\b(?:render_template|render|render_template_string|jsonify|url_for|format"
    r"|filter|filter_by|Field"
    r"|\w*Field|Column|info|debug|warning|error|getpass|literal|Enum|namedtuple|Form|TypedDict"
    r"|get_argument)"
)  # fmt: skip
_KEEPER = re.compile(r".*\.\w*secret\w*", re.IGNORECASE)
# A keyword that names the secret in a store: get_secret_value(SecretId="shop/mysql").
_LABEL = re.compile(r"secrets?_?(?:id|name|arn|version\w*|label)", re.IGNORECASE)
_SETTINGS = re.compile(
    r"(?:^|\.)(?:os\.environ|kwargs|config|conf|cfg|settings|options|opts|params|env|environ)$"
)
_GETTERS = re.compile(
    r"(?:\S*\.)?(?:get|pop|setdefault|getenv|config|env|str|get_secret|getvar|get_env\w*)"
)
_DEFAULTED = re.compile(r"\S*\.(?:add_argument|option|add_option)")
_HEADER = re.compile(r"authorization|api-?_?key|auth-?_?token|access-?_?token", re.IGNORECASE)
_HTTP = re.compile(r"(?:requests|httpx|aiohttp)\.")
_SCHEME = re.compile(r"^(?:bearer|basic|token|apikey|bot)?\s*$", re.IGNORECASE)


def judge_call(call: CallFact, chosen: frozenset[int], hashes: bool) -> Iterator[Finding]:
    """Findings of a call.

    chosen: expressions that hold untrusted data in another reading, so that a literal there is an example.
    hashes: the program makes digests of passwords that are entered.
    """
    for why in _weak(call, chosen, hashes):
        yield vulnerable(call.line, why)
    shown = call.display_name
    if any(map(_CONNECTS.fullmatch, call.paths)) or "auth" in call.keywords:
        yield safe(call.line, f"{shown} is given no literal credential")
    if any(map(is_password, _given_names(call))):
        yield safe(call.line, f"{shown} is given a password that is no literal")


def _given_names(call: CallFact) -> Iterator[str]:
    """Names of all arguments of a call; none for a getter, except a reader of the environment."""
    # Getters are given the name of a password, not a password.
    if any(map(_GETTERS.fullmatch, call.paths)) and not call.ends("environ.get", "getenv"):
        return
    yield from call.keywords
    nodes = dict(enumerate(call.node.args))
    for number, value in enumerate(call.arguments):
        yield from names_of(value, nodes.get(number))
        yield from (name for item in value.items or () for name in names_of(item, None))
        # There the text of the argument is the name of what is read.
        if call.ends("environ.get", "getenv"):
            yield from value.texts
    for value in call.keywords.values():
        yield from names_of(value, None)


def _weak(call: CallFact, chosen: frozenset[int], hashes: bool) -> Iterator[str]:
    shown = call.display_name
    for keyword, value in call.keywords.items():
        if (
            is_secret(keyword)
            and not _is_label(call, keyword)
            and literal(value)
            and not any(map(_NO_CREDENTIAL.fullmatch, call.paths))
        ):
            yield f"{shown} is given a literal as {keyword}"
    if _positional(call, chosen):
        yield f"{shown} is given a literal password"
    elif key := _literal_key(call):
        yield f"{shown} is given the literal {key}"
    if hashes and _hashes_constant(call, chosen):
        yield f"{shown} makes the digest of a literal that passwords are compared with"
    if _is_addressed(call) and any(map(address, call.values)):
        yield f"{shown} is given an address with a literal password in it"
    if _pair(call) or _header(call) or _form(call):
        yield f"{shown} is given literal credentials"
    key = _fallback(call)
    if key:
        yield f"{shown} falls back to a literal where {key} is missing"


def _is_label(call: CallFact, keyword: str) -> bool:
    """Whether a keyword only names the secret to fetch from a secret store."""
    return _LABEL.fullmatch(keyword) is not None and any(map(_KEEPER.fullmatch, call.paths))


def _positional(call: CallFact, chosen: frozenset[int]) -> bool:
    for pattern, position in _TABLE:
        value = call.argument(position)
        if value is None or not literal(value) or not any(map(pattern.fullmatch, call.paths)):
            continue
        # A hash of a literal may be an example's: it counts where no other reading hands in what was entered.
        if not any(map(_MAKES_HASH.fullmatch, call.paths)) or not _is_chosen(
            call, position, chosen
        ):
            return True
    return False


def _literal_key(call: CallFact) -> str:
    """The name of a literal key passed to a constructor of a library, or ""."""
    # Constructors are known by their names only: a literal must also look like a key by its own.
    is_made_here = any(map(_CONSTRUCTOR.fullmatch, call.paths))
    for node, value in zip(call.node.args, call.arguments, strict=False) if is_made_here else ():
        name = node.id if isinstance(node, ast.Name) else ""
        # Only a name: a literal that is written in the call has nothing that calls it a key.
        text = literal(value) if name and value.exact else None
        if text and (is_secret(name) or (_KEY_NAME.search(name) and _RANDOM.fullmatch(text))):
            return name
    return ""


def _is_chosen(call: CallFact, position: int, chosen: frozenset[int]) -> bool:
    return position < len(call.node.args) and id(call.node.args[position]) in chosen


def _hashes_constant(call: CallFact, chosen: frozenset[int]) -> bool:
    # Their first argument is no data: the name of an algorithm, or a key.
    if not any(map(DIGESTS.match, call.paths)) or call.is_(
        "hashlib.new", "hmac.new", "hmac.digest"
    ):
        return False
    # The name of the hash comes first there.
    position = 1 if call.is_("hashlib.pbkdf2_hmac") else 0
    value = call.argument(position)
    exact = value is not None and value.exact and literal(value) is not None
    return exact and not _is_chosen(call, position, chosen)


def _is_addressed(call: CallFact) -> bool:
    """Whether text among a call's arguments is used as an address, and not shown to people."""
    return any(map(_CONNECTS.fullmatch, call.paths)) or any(map(_GETTERS.fullmatch, call.paths))


def _pair(call: CallFact) -> bool:
    """auth=("user", "password")."""
    value = call.keywords.get("auth")
    items = value.items if value is not None else None
    return items is not None and len(items) == 2 and literal(items[1]) is not None


def _form(call: CallFact) -> bool:
    """requests.post(url, data={"password": "word"})."""
    if not any(map(_HTTP.match, call.paths)):
        return False
    forms = (call.keywords[key] for key in ("data", "json", "params") if key in call.keywords)
    pairs = (pair for form in forms for pair in within(form))
    return any(isinstance(key, str) and is_password(key) and literal(item) for key, item in pairs)


def _header(call: CallFact) -> bool:
    headers = call.keywords.get("headers")
    if headers is None:
        return False
    return any(
        isinstance(key, str) and _HEADER.search(key) and _is_literal_header(value)
        for key, value in within(headers)
    )


def _is_literal_header(value: Value) -> bool:
    text = literal(value)
    # "Bearer " alone is the beginning of a header whose token comes from elsewhere.
    return text is not None and not value.pieces and _SCHEME.match(text) is None


def _fallback(call: CallFact) -> str:
    """The key of a secret that a literal stands in for, or ""."""
    keys = [text for value in call.arguments for text in value.texts[:1] if is_secret(text)]
    # Headers of a request that are read with a default are the sender's credentials.
    if not keys or any(map(_HEADER.fullmatch, keys)):
        return ""
    named = next(
        (call.keywords[key] for key in ("default", "fallback") if key in call.keywords), None
    )
    # In add_argument only a keyword is the default: the second argument is another name of the option.
    if any(map(_DEFAULTED.fullmatch, call.paths)):
        return keys[0] if named is not None and literal(named) else ""
    default = named or call.argument(1)
    if default is None or not literal(default) or not any(map(_GETTERS.fullmatch, call.paths)):
        return ""
    return keys[0] if call.arguments[0].texts and _asks_settings(call) else ""


def _asks_settings(call: CallFact) -> bool:
    """Whether the call reads the program's settings, and not a request."""
    flows = call.receiver.flows
    # What is read from the environment is the program's setting; a request's default is the sender's absence.
    if not any(flow.source.kind != "env" for flow in flows):
        return True
    node = call.node.func
    written = ast.unparse(node.value) if isinstance(node, ast.Attribute) else ""
    return bool(_SETTINGS.search(written[-60:].lower()))


def findings(facts: ProgramFacts, chosen: frozenset[int], hashes: bool) -> Iterator[Finding]:
    """Findings of all calls of a program."""
    for call in facts.calls:
        yield from judge_call(call, chosen, hashes)
