"""RMAUTH: authentication is removed or weakened."""

from __future__ import annotations

from arena.tracks.mutation.operators import _access as access
from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    checked_late,
    decorators_removed,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import removed_all, weaken_guards
from arena.tracks.mutation.operators._names import each
from arena.tracks.mutation.operators._operator import Operator, Paper

TOPIC = access.AUTHENTICATION


EXAMPLES = examples("""
=== guard_removed
  def delete(request, user_id):
-     if not request.user or not request.user.is_authenticated:
-         raise PermissionError("log in first")
      return db.delete(user_id)
=== condition_dropped of the same
-     if not request.user or not request.user.is_authenticated:
+     if not request.user:
=== connective_swapped of the same
-     if not request.user or not request.user.is_authenticated:
+     if not request.user and not request.user.is_authenticated:
=== only_when_present of the same
-     if not request.user or not request.user.is_authenticated:
+     if request.user and not request.user.is_authenticated:
=== attribute_present of the same
-     if not request.user or not request.user.is_authenticated:
+     if not request.user or not hasattr(request.user, "is_authenticated"):
=== default_grants of the same
-     if not request.user or not request.user.is_authenticated:
+     if not request.user or not getattr(request.user, "is_authenticated", True):
=== checked_late of the same
- def delete(request, user_id):
+ def delete(request, user_id):
+     result = db.delete(user_id)
-     return db.delete(user_id)
+     return result
=== other_words of the same
-         raise PermissionError("log in first")
+         raise PermissionError("Request refused")
=== named_test of the same
-     if not request.user or not request.user.is_authenticated:
+     refused = not request.user or not request.user.is_authenticated
+     if refused:
=== guards_removed
  def export(request):
-     if request.user is None:
-         raise PermissionError("log in first")
-     if not request.user.is_admin:
-         raise PermissionError("admins only")
      return db.everything()
=== decorator_removed
  @app.route("/admin")
- @login_required
  def admin():
      return render("admin.html")
=== decorator_removed
  class Views:
-     @requires_auth
      def secrets(self):
          return self.store.secrets()
=== method_uncalled
  def logs(request):
-     if not request.user.has_role("auditor"):
+     if not request.user.has_role:
          raise PermissionError("auditors only")
      return db.logs()
=== presence_for_value
  def status(token):
-     if token != API_TOKEN:
+     if token is None:
          return {"error": "unauthorized"}, 401
      return {"status": "ok"}
=== guard_removed, left alone
  def token_of(header):
      scheme, _, token = header.partition(" ")
      if scheme.lower() != "bearer":
          return None
      return token
=== guard_removed, left alone
  def mean(numbers):
      if not numbers:
          raise ValueError("no numbers")
      return sum(numbers) / len(numbers)
=== decorator_removed, left alone
  @functools.cache
  def squares(count):
      return [n * n for n in range(count)]
""")

PLUGIN = Operator(
    name="RMAUTH",
    title="Authentication removed",
    cwes=("CWE-306", "CWE-287", "CWE-862"),
    variants={
        "guard_removed": each(access.removed_but_scheme(TOPIC)),
        "guards_removed": each(removed_all(TOPIC)),
        "decorator_removed": each(decorators_removed(access.DECORATORS)),
        "condition_dropped": each(weaken_guards(access.but_scheme(rules.condition_dropped), TOPIC)),
        "connective_swapped": each(weaken_guards(rules.connective_swapped, TOPIC)),
        "only_when_present": each(weaken_guards(rules.only_when_present, TOPIC)),
        "attribute_present": each(weaken_guards(rules.attribute_present, TOPIC)),
        "default_grants": each(weaken_guards(rules.default_grants, TOPIC)),
        "method_uncalled": each(weaken_guards(rules.method_uncalled, TOPIC)),
        "presence_for_value": each(
            weaken_guards(access.but_scheme(rules.presence_for_value), TOPIC)
        ),
        "checked_late": each(checked_late(TOPIC, r".")),
    },
    alternatives={"other_words": each(other_words), "named_test": each(named_test)},
    witnesses=("granted", "event:stored", "event:http.requested", "event:file.opened"),
    attacks={
        "request": access.REQUESTS,
        "user": access.USERS,
        "token": access.TOKENS,
        "key": access.TOKENS,
        "password": ("'wrong'", "''", "None"),
        "session": ("{}", "None", "_record(user_id=None)"),
        "role": ("'guest'", "'user'", "''", "None"),
        "id": access.IDS,
        "mapping": ("{}", "{'token': 'wrong'}"),
    },
    watched={
        "auth": ("last_username", "last_password", "last_token", "auth_attempts", "failed_attempts")
    },
    paper=Paper(
        terms=(
            *("auth", "login", "session", "permission", "access.*control", "is_authenticated"),
            *("credential", "token.*valid", "bypass", "unauthorized", "decorator"),
        ),
        payloads=(
            *(
                "unauthorized",
                "403",
                "401",
                "login",
                "session",
                "@login_required",
                "PermissionError",
            ),
        ),
        watched={
            "auth": (
                *("last_username", "last_password", "last_token"),
                *("auth_attempts", "failed_attempts"),
            )
        },
    ),
    examples=EXAMPLES,
)
