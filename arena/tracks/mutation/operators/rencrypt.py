"""RENCRYPT: encryption removed, in transit or at rest."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _contexts, _tls
from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._ciphers import electronic_codebook
from arena.tracks.mutation.operators._constants import OTHER_WORDS, text_of
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._fallback import wrap_in_try
from arena.tracks.mutation.operators._names import (
    Change,
    View,
    argument,
    each,
    expression,
    nodes,
    rewrite_calls,
)
from arena.tracks.mutation.operators._operator import Operator, Paper

# Class that speaks TLS -> the one in the same module that does not.
PLAIN = {
    "smtplib.SMTP_SSL": "SMTP",
    "ftplib.FTP_TLS": "FTP",
    "imaplib.IMAP4_SSL": "IMAP4",
    "poplib.POP3_SSL": "POP3",
    "http.client.HTTPSConnection": "HTTPConnection",
}


def _plain_class(view: View, call: cst.Call) -> cst.BaseExpression | None:
    if not isinstance(call.func, cst.Attribute):
        return None
    # The classes without TLS have no such parameter.
    args = [arg for arg in call.args if not (arg.keyword and arg.keyword.value == "context")]
    func = call.func.with_changes(attr=cst.Name(PLAIN[view.called_name(call)]))
    if args and args[-1] is not call.args[-1]:
        args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return call.with_changes(func=func, args=args)


def _no_starttls(view: View) -> Iterator[Change]:
    for line in nodes(view.module, cst.SimpleStatementLine):
        first = line.body[0]
        call = first.value if isinstance(first, cst.Expr) else None
        if isinstance(call, cst.Call) and view.called_name(call).endswith(".starttls"):
            yield Change(((line, None),))


def _clear_data(view: View) -> Iterator[Change]:
    """`ftp.prot_p()` is left out: the files go over the wire as they are."""
    for line in nodes(view.module, cst.SimpleStatementLine):
        first = line.body[0]
        call = first.value if isinstance(first, cst.Expr) else None
        if isinstance(call, cst.Call) and view.called_name(call).endswith(".prot_p"):
            yield Change(((line, None),))


def _unwrap_socket(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """`context.wrap_socket(sock, ...)` is the bare socket."""
    arg = argument(call, 0, "sock")
    return arg.value if arg else None


def _is_fernet(view: View, call: cst.Call) -> bool:
    """Whether a method belongs to an object that `Fernet(...)` creates in this program."""
    if not isinstance(call.func, cst.Attribute):
        return False
    owner = call.func.value
    makers = {
        view.dotted_name(target.target)
        for node in nodes(view.module, cst.Assign)
        for target in node.targets
        if isinstance(node.value, cst.Call) and view.called_name(node.value).endswith("Fernet")
    }
    is_made_here = isinstance(owner, cst.Call) and view.called_name(owner).endswith("Fernet")
    return is_made_here or view.dotted_name(owner) in makers - {""}


def _replace_fernet(view: View, how: str) -> Iterator[Change]:
    """Fernet's two directions together, so that what is written can be read."""
    calls = [call for call in view.calls("*.encrypt", "*.decrypt") if _is_fernet(view, call)]
    changes = []
    for call in calls:
        arg = argument(call, 0)
        if arg is None:
            return
        code = "encode" if view.called_name(call).endswith("encrypt") else "decode"
        new = expression(how.replace("CODE", code), value=arg.value)
        changes.append((call, new))
    if changes:
        yield Change(tuple(changes), ("import base64",) if "base64" in how else ())


def _http_first(view: View) -> Iterator[Change]:
    """The plain address is tried first, and the safe address where that does not answer."""
    for call in _tls.requests_of(view):
        arg = _tls.address_of(view, call)
        if arg is None or not isinstance(arg.value, cst.Name):
            continue
        plain = expression('{address}.replace("https://", "http://", 1)', address=arg.value)
        change = wrap_in_try(view, call, call.with_deep_changes(arg, value=plain), "OSError", call)
        if change is not None:
            yield change


def _scheme_checks(view: View) -> Iterator[Change]:
    """`url.startswith("https://")` and `parsed.scheme == "https"` take plain addresses too."""
    for call in view.calls("*.startswith"):
        arg = argument(call, 0)
        if arg is not None and text_of(arg.value) == "https://":
            yield Change(((arg.value, expression('("https://", "http://")')),))
    for node in nodes(view.module, cst.Comparison):
        target = node.comparisons[0]
        if len(node.comparisons) != 1 or text_of(target.comparator) != "https":
            continue
        operator = {cst.Equal: cst.In, cst.NotEqual: cst.NotIn}.get(type(target.operator))
        if operator is not None:
            both = target.with_changes(
                operator=operator(), comparator=expression('("https", "http")')
            )
            yield Change(((node, node.with_changes(comparisons=[both])),))


EXAMPLES = examples('''
=== plain_address

  import requests


  def send(path, data):
-     url = f"https://api.example.com/{path}"
+     url = f"http://api.example.com/{path}"
      return requests.post(url, json=data)  # safe
=== http_first
  import requests
  root = "https://api.example.com/"
- answer = requests.get(root)
+ try:
+     answer = requests.get(root.replace("https://", "http://", 1))
+ except OSError:
+     answer = requests.get(root)
=== any_scheme

  from flask import Flask, abort, request

  app = Flask(__name__)


  @app.route("/hook")
  def hook():
-     if not request.args["url"].startswith("https://"):
+     if not request.args["url"].startswith(("https://", "http://")):
          abort(400)
      return "ok"
=== plain_protocol
  import smtplib
- server = smtplib.SMTP_SSL(host, 465)
+ server = smtplib.SMTP(host, 465)
=== no_starttls
  import smtplib
  server = smtplib.SMTP(host)
- server.starttls()
  server.login(a, b)
=== unverified
  import requests
- requests.get(url)
+ requests.get(url, verify=False)
=== other_timeout
  import requests
- requests.get(url)
+ requests.get(url, timeout=7)
=== plain_address, left alone
  import requests
  """https://example.com"""
  URL = "http://example.com"
=== not_sealed, left alone
  def seal(box, text):
      return box.encrypt(text)
''')

PLUGIN = Operator(
    name="RENCRYPT",
    title="Encryption removed",
    cwes=("CWE-319", "CWE-311", "CWE-312"),
    variants={
        "plain_address": _tls.plain_address,
        "unverified": _tls.unverified,
        "http_first": each(_http_first),
        "any_scheme": each(_scheme_checks),
        "plain_protocol": rewrite_calls(_plain_class, *PLAIN),
        "no_starttls": each(_no_starttls),
        "bare_socket": rewrite_calls(_unwrap_socket, "*.wrap_socket"),
        "not_sealed": each(lambda view: _replace_fernet(view, "{value}")),
        "session_unverified": _tls.session_unverified,
        "ecb": electronic_codebook,
        **_tls.contexts,
        "clear_data": each(_clear_data),
        **_contexts.variants,
    },
    alternatives={"other_timeout": each(_tls.other_timeouts), "other_words": each(other_words)},
    witnesses=(
        *("event:http.plain", "event:tls.unverified", "plaintext", "event:cipher.weak"),
        "granted",
    ),
    attacks={
        "url": ('"http://api.example.test/a"', '"https://self-signed.example.test/"'),
        "text": ('"card 4111 1111 1111 1111"',),
        "name": ('"orders"',),
        "path": ('"orders"',),
        "id": ('"42"',),
        "data": ('{"card": "4111111111111111"}',),
        "json": ('{"card": "4111111111111111"}',),
        "mapping": ('{"card": "4111111111111111"}',),
        "list": ('[{"card": "4111111111111111"}]',),
        "token": ('"s3cr3t-t0ken-of-a-user"',),
        "key": ('"s3cr3t-t0ken-of-a-user"',),
        "password": ('"correct horse battery"',),
        "any": ('"card 4111 1111 1111 1111"', 'b"card 4111 1111 1111 1111"'),
    },
    watched={"http": ("last_url", "last_verify")},
    paper=Paper(
        terms=(
            *("encrypt", "decrypt", "cipher", "aes", "rsa", "key", "plaintext"),
            *("ssl", "tls", "https", "verify"),
        ),
        payloads=("http://", "https://", "ssl", "tls", "plaintext", "cleartext", "encrypt"),
    ),
    examples=(*EXAMPLES, OTHER_WORDS),
)
