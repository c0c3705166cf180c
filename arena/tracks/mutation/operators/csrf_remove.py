"""CSRF_REMOVE: protection against cross-site request forgery is removed or weakened."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    decorators_removed,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import removed_all, removed_each, weaken_guards
from arena.tracks.mutation.operators._names import Change, View, each, nodes
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._scopes import source

TOPIC = r"csrf|xsrf|token|nonce|referer|referrer|origin|forg"
# Of Flask-WTF (by its old name too), Flask-SeaSurf and Django.
PROTECTION = re.compile(r"(^|\.)(CSRFProtect|CsrfProtect|SeaSurf|init_app|csrf_protect)$")


def protection_removed(view: View) -> Iterator[Change]:
    """Finds: the statement that protects a whole application, removed."""
    for line in nodes(view.module, cst.SimpleStatementLine):
        small = line.body[0]
        call = small.value if isinstance(small, cst.Expr) else None
        if isinstance(call, cst.Call) and PROTECTION.search(source(call.func)) and call.args:
            yield Change(((line, None),))


def same_site_none(view: View) -> Iterator[Change]:
    """Finds: a cookie that cross-site requests carry."""
    for arg in nodes(view.module, cst.Arg):
        strict = isinstance(arg.value, cst.SimpleString) and source(arg.value)[1:-1].lower()
        if (
            arg.keyword is not None
            and arg.keyword.value == "samesite"
            and strict in ("strict", "lax")
        ):
            # The text "None", which is the attribute's value; Python's None would leave the attribute out.
            yield Change(((arg.value, rules.text_node("None")),))


def _requests() -> tuple[str, ...]:
    forms = ("{'csrf_token': 'c'}", "{'csrf_token': 'wrong'}", "{}", "{'csrf_token': ''}")
    sent = [f"form={f}, POST={f}, json={f}, body={f}" for f in (*forms, "{'csrf_token': 'abcdef'}")]
    sessions = "session={'csrf_token': 'c0ffee'}, cookies={'csrf_token': 'c0ffee'}"
    return (
        *(f"_request(method='POST', {s}, {sessions})" for s in sent),
        "_request(method='POST', form={'csrf_token': 'c'}, session={})",
        "_request(headers={'Origin': 'https://evil.example', 'X-CSRF-Token': 's'})",
        *(
            f"_request(headers={h}, body={{'user_id': '1', 'new_email': 'm@evil.example'}})"
            for h in (
                "{}",
                "{'X-CSRF-Token': 's'}",
                "{'X-CSRF-Token': 'x' * 17}",
                "{'X-CSRF-Token': ''}",
            )
        ),
    )


EXAMPLES = examples("""
=== guard_removed
  def submit(request):
      token = request.form.get("csrf_token")
-     if not token or token != request.session["csrf_token"]:
-         raise PermissionError("wrong token")
      return save(request.form)
=== condition_dropped of the same
-     if not token or token != request.session["csrf_token"]:
+     if not token:
=== only_when_present of the same
-     if not token or token != request.session["csrf_token"]:
+     if token and token != request.session["csrf_token"]:
=== connective_swapped of the same
-     if not token or token != request.session["csrf_token"]:
+     if not token and token != request.session["csrf_token"]:
=== contained_suffices of the same
-     if not token or token != request.session["csrf_token"]:
+     if not token or token not in request.session["csrf_token"]:
=== same_length of the same
-     if not token or token != request.session["csrf_token"]:
+     if not token or len(token) != len(request.session["csrf_token"]):
=== other_words of the same
-         raise PermissionError("wrong token")
+         raise PermissionError("Request refused")
=== named_test of the same
-     if not token or token != request.session["csrf_token"]:
+     refused = not token or token != request.session["csrf_token"]
+     if refused:
=== decorator_removed
  @app.post("/transfer")
- @csrf_protect
  def transfer():
      return send(request.form)
=== protection_removed
  from flask import Flask
  from flask_wtf import CSRFProtect

  app = Flask(__name__)
- CSRFProtect(app)
=== presence_for_value
  class Mail:
      def change(self, headers, address):
-         if headers.get("X-CSRF-Token") != self.csrf_token:
+         if headers.get("X-CSRF-Token") is None:
              return False
          self.address = address
          return True
=== beginning_suffices
  import hmac

  def submit(form, session):
-     if not hmac.compare_digest(form["csrf_token"], session["csrf_token"]):
+     if not session["csrf_token"].startswith(form["csrf_token"]):
          abort(403)
      return save(form)
=== same_site_none
  def log_in(response, key):
-     response.set_cookie("session", key, secure=True, samesite="Strict")
+     response.set_cookie("session", key, secure=True, samesite="None")
=== guard_removed, left alone
  def submit(request):
      if not request.form.get("name"):
          raise ValueError("name is missing")
      return save(request.form)
=== same_site_none, left alone
  def log_in(response, key):
      response.set_cookie("theme", key)
""")

PLUGIN = Operator(
    name="CSRF_REMOVE",
    title="Protection against cross-site request forgery removed",
    cwes=("CWE-352",),
    variants={
        "guard_removed": each(removed_each(TOPIC)),
        "guards_removed": each(removed_all(TOPIC)),
        "decorator_removed": each(decorators_removed(r"csrf|xsrf|token|origin")),
        "protection_removed": each(protection_removed),
        "condition_dropped": each(weaken_guards(rules.condition_dropped, TOPIC)),
        "only_when_present": each(weaken_guards(rules.only_when_present, TOPIC)),
        "connective_swapped": each(weaken_guards(rules.connective_swapped, TOPIC)),
        "presence_for_value": each(weaken_guards(rules.presence_for_value, TOPIC)),
        "contained_suffices": each(weaken_guards(rules.contained_suffices, TOPIC)),
        "beginning_suffices": each(weaken_guards(rules.beginning_suffices, TOPIC)),
        "same_length": each(weaken_guards(rules.same_length, TOPIC)),
        "same_site_none": each(same_site_none),
    },
    alternatives={"other_words": each(other_words), "named_test": each(named_test)},
    witnesses=("granted", "event:stored", "event:http.requested"),
    attacks={
        "request": _requests(),
        "mapping": (*_requests(), "{}"),
        "any": _requests()[-4:],
        "token": ("'c'", "'wrong'", "''", "None", "'x' * 17"),
        "session": ("{'csrf_token': 'c0ffee'}", "_record(csrf_token='c0ffee')", "{}"),
    },
    paper=Paper(
        terms=("csrf", "token", "cross.*site.*request", "forgery", "session", "csrftoken"),
        payloads=("csrf", "token", "forgery", "x-csrf"),
    ),
    examples=EXAMPLES,
)
