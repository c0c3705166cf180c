"""Kinds of parameters by their names, with ordinary values and attacks for each, as Python source."""

from __future__ import annotations

import re

# The order decides: "image_name" is a file name before it is a name, "user_id" an id before a user.
# (kind, regular expression searched in the parameter's name in lower case); the first that fits.
KINDS: tuple[tuple[str, str], ...] = (
    ("id", r"id$|uid$|pk$"),
    ("xml", r"xml|svg|soap"),
    ("html", r"html|markup|comment|bio|content|body|message|description|title|greeting"),
    ("session", r"session"),
    ("request", r"request|req$"),
    ("callback", r"callback|func|handler$|fn$|loader"),
    ("error", r"error|exc|exception"),
    ("config", r"config|settings|options"),
    (
        "url",
        r"url|uri|link|redirect|next|target|endpoint|webhook|return_to|location|host|domain|origin|site",
    ),
    ("filename", r"file_?name|fname|attachment|document|upload|image_?name"),
    ("path", r"path|dir|folder|file$|template"),
    ("email", r"e?mail|recipient|address"),
    ("password", r"pass(word|wd|phrase)?|pwd|pin$|credential"),
    ("token", r"token|csrf|jwt|signature|nonce|otp"),
    ("key", r"key|secret"),
    ("query", r"query|search|term|keyword|filter|where|sql|sort|order|column"),
    ("code", r"code|expr|formula|script|snippet|rule|equation|calculation|source"),
    ("command", r"command|cmd|argument"),
    ("log", r"log|event|action|entry|activity"),
    ("user", r"(current_)?user$|actor|principal|account$|viewer|caller|requester|member$|owner$"),
    ("role", r"role|permission|privilege|scope|group"),
    ("id", r"_id|uid|number$|index"),
    ("size", r"size|bits|length|limit|count|rounds|iterations|max|min|page|depth|quantity|qty"),
    (
        "number",
        r"amount|price|total|age|year|value|rate|balance|score|percent|port|num|[xyn]$|[ab]$",
    ),
    (
        "data",
        r"data|payload|blob|serialized|pickle|cookie|state|bytes|content|raw|buf|stream|yaml|dump",
    ),
    ("mapping", r"form|fields|params|attributes|updates|kwargs|changes|profile|record|item|obj"),
    ("list", r"list|items|rows|values|names|entries|tags"),
    ("json", r"json"),
    ("name", r"name|login|author|city|label|field|student|customer|product"),
)

# Annotation -> its kind, and kinds by name that agree with it and say more.
ANNOTATED: dict[str, tuple[str, frozenset[str]]] = {
    **dict.fromkeys(("int", "float"), ("number", frozenset({"id", "size", "number"}))),
    "bytes": ("data", frozenset({"data", "key", "password", "token"})),
    **dict.fromkeys(
        ("dict", "Dict", "Mapping"),
        ("mapping", frozenset({"mapping", "request", "session", "user", "config"})),
    ),
    **dict.fromkeys(("list", "List", "Sequence"), ("list", frozenset({"list"}))),
    "Path": ("path", frozenset({"path"})),
}

ORDINARY: dict[str, tuple[str, ...]] = {
    "text": ("'alice'",),
    "name": ("'alice'",),
    "query": ("'alice'",),
    "url": ("'https://api.example.com/data'", "'/home'"),
    "path": ("'report.txt'", "_folder + '/report.txt'", "_folder"),
    "filename": ("'photo.png'",),
    "html": ("'hello'",),
    "xml": ("'<root><item>one</item></root>'",),
    "code": ("'1 + 1'",),
    "data": ('\'{"name": "alice"}\'', "b'some data'", "{'name': 'alice'}", "'name: alice'"),
    "json": ('\'{"name": "alice"}\'',),
    "number": ("10",),
    "size": ("10", "2048"),
    "id": ("1", "'1'"),
    "user": ("_member()", "'alice'", "{'id': 1, 'role': 'user'}"),
    "request": ("_request()",),
    "token": ("'valid-token'",),
    "password": ("'Correct-Horse-7-Battery'",),
    "key": ("'api_key'", "b'0123456789abcdef'"),
    "session": ("_record(user_id=1, csrf_token='c0ffee')",),
    "log": ("'login'",),
    "mapping": ("{'name': 'alice', 'email': 'alice@example.com'}",),
    "email": ("'alice@example.com'",),
    "command": ("'status'",),
    "config": ("{'debug': False}",),
    "error": ("ValueError('plain')",),
    "callback": ("(lambda *args, **kwargs: 'done')",),
    "role": ("'user'",),
    "list": ("['alice', 'bob']",),
}

# Attacks that fit any operator; an operator's own come first.
ATTACKS: dict[str, tuple[str, ...]] = {
    "user": (
        "_guest()",
        "_other()",
        "None",
        "{'id': 99, 'role': 'guest', 'is_admin': False}",
        "'mallory'",
    ),
    "request": ("_request(user=_guest())", "_request(method='POST')", "_request(user=_other())"),
    "session": ("_record()", "{}", "None"),
    "token": ("''", "None", "'wrong'"),
    "role": ("'guest'", "''"),
    "id": ("'99'", "99", "-1"),
    "error": ("_secret_error()",),
}

# What the source of values may use.
PREAMBLE = '''
import logging
import tempfile

logging.getLogger().setLevel(1)  # records of any level are written
_folder = tempfile.mkdtemp()
CANARY = "canary-7f3a"


class _Record(dict):
    """A mapping whose entries are attributes too; what is absent is None."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name.startswith(("has_", "is_", "can_", "check_")) and name not in self:
            return (lambda *args, **kwargs: False) if not name.startswith("is_") else False
        return self.get(name)

    def __setattr__(self, name, value):
        self[name] = value


def _record(**fields):
    return _Record(**fields)


def _guest():
    return _record(id=99, user_id=99, username="mallory", name="mallory", role="guest", is_admin=False,
                   is_authenticated=False, is_active=False, permissions=[], roles=[])


def _other():
    return _record(id=98, user_id=98, username="trent", name="trent", role="user", is_admin=False,
                   is_authenticated=True, is_active=True, permissions=[], roles=["user"])


def _privileged():
    return _record(id=98, user_id=98, username="root", name="root", role="admin", is_admin=True,
                   is_staff=True, is_superuser=True, is_authenticated=False,
                   permissions=["all"], roles=["admin"])


def _member():
    return _record(id=1, user_id=1, username="alice", name="alice", role="user", is_admin=False,
                   is_authenticated=True, is_active=True, permissions=["read"], roles=["user"])


def _request(method="POST", user=None, **more):
    fields = dict(method=method, user=user, headers={}, cookies={}, args={}, session={}, files={},
                  form={"name": "alice", "user_id": "1"}, body={"name": "alice"}, json={"name": "alice"},
                  GET={}, POST={"name": "alice"}, META={}, path="/", url="http://localhost/", data=b"{}")
    return _record(**{**fields, **more})


def _use(result):
    if hasattr(result, "__next__"):
        for _, _ in zip(range(100), result):
            pass


def _file(content):
    handle, path = tempfile.mkstemp(dir=_folder)
    with open(handle, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


def _secret_error():
    return RuntimeError("password=" + CANARY + " at /srv/app/db.py line 7 in SELECT * FROM users")
'''


def kind_of(name: str, annotation: str = "") -> str:
    """The kind of a parameter from its name, unless its annotation says that it cannot be of that kind."""
    lowered = name.lower()
    named = next((k for k, p in KINDS if re.search(rf"(^|_)({p})", lowered)), "text")
    kind_of_annotation, agreeing = ANNOTATED.get(
        annotation.partition("[")[0].rpartition(".")[2], (named, frozenset())
    )
    return named if named in agreeing else kind_of_annotation


# Annotation, or the last part of its name -> an ordinary value, as source.
TYPED: dict[str, str] = {
    "Path": "__import__('pathlib').Path(_folder)",
    "Connection": "__import__('sqlite3').connect(':memory:')",
    "Logger": "logging.getLogger('program')",
    "datetime": "__import__('datetime').datetime(2026, 5, 4, tzinfo=__import__('datetime').UTC)",
    "date": "__import__('datetime').date(2026, 5, 4)",
    "TextIO": "__import__('io').StringIO('one\\ntwo\\n')",
    "BinaryIO": "__import__('io').BytesIO(b'some data')",
    "Session": "__import__('requests').Session()",
    "SSLContext": "__import__('ssl').create_default_context()",
    "Callable[[], float]": "__import__('time').time",
    "Callable[[], datetime]": "__import__('datetime').datetime.now",
}


def typed_value(annotation: str) -> str:
    """An ordinary value for an annotation that names a type of the standard library; "" for others."""
    return TYPED.get(annotation) or TYPED.get(annotation.rpartition(".")[2], "")
