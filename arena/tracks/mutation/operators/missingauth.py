"""MISSINGAUTH: authorisation is removed or weakened."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _access as access
from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    checked_late,
    decorators_removed,
    swallow_refusals,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import (
    guards,
    guards_by_function,
    removed_all,
    removed_each,
    weaken_guards,
)
from arena.tracks.mutation.operators._names import Change, View, each, nodes
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._scopes import parameters, source

TOPIC = access.AUTHORISATION
POWERS = re.compile(r"admin|root|owner|manager|super|staff|write|delete|editor|auditor|moderator")


def default_privileged(view: View) -> Iterator[Change]:
    """Finds: a parameter that a guard reads is true by default."""
    for function, present in guards_by_function(view, guards(view, TOPIC)).items():
        tests = [g.test for g in present if g.test is not None]
        read = {name.value for test in tests for name in nodes(test, cst.Name)}
        for name, param in parameters(function).items() if function is not None else ():
            default = param.default
            if name in read and isinstance(default, cst.Name) and default.value == "False":
                yield Change(((default, cst.Name("True")),))


def lesser_role(view: View) -> Iterator[Change]:
    """Finds: a decorator or called check that asks for a role or right asks for that of any user."""
    calls = [d.decorator for d in nodes(view.module, cst.Decorator)]
    calls += [g.node.body[0].value for g in guards(view, TOPIC) if _is_check(g.node)]  # type: ignore[attr-defined]
    for call in calls:
        for arg in call.args if isinstance(call, cst.Call) else ():
            text = arg.value
            if isinstance(text, cst.SimpleString) and POWERS.search(source(text).lower()):
                yield Change(((text, rules.text_node("user")),))


def _is_check(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Expr)


EXAMPLES = examples("""
=== guard_removed
  def drop(project, user):
-     if user.role != "admin":
-         raise PermissionError("admins only")
      project.drop()
=== role_widened of the same
-     if user.role != "admin":
+     if user.role not in ("admin", "user", "guest"):
=== guard_removed
  def add(project, asker, member):
-     if asker == project.owner or asker.role == "admin":
-         project.members.append(member)
-         return True
+     project.members.append(member)
+     return True
      return False
=== decorator_removed
  class Admin:
-     @require_role("admin")
      def purge(self):
          self.store.clear()
=== lesser_role
  @app.post("/purge")
- @require_role("admin")
+ @require_role("user")
  def purge():
      store.clear()
=== condition_dropped
  def close(account, user):
-     if not user.is_staff or not user.is_active:
+     if not user.is_active:
          raise PermissionError("staff only")
      account.close()
=== presence_for_value
  def drop(project, user):
-     if project.owner_id != user.id and not user.is_admin:
+     if user.id is None and not user.is_admin:
          raise PermissionError("not yours")
      project.drop()
=== attribute_present
  def users(current_user):
-     if not current_user.is_admin:
+     if not hasattr(current_user, "is_admin"):
          raise PermissionError("admins only")
      return db.users()
=== other_words of the same
-         raise PermissionError("admins only")
+         raise PermissionError("Request refused")
=== named_test of the same
-     if not current_user.is_admin:
+     refused = not current_user.is_admin
+     if refused:
=== default_grants
  def users(claims):
-     if not claims.get("admin"):
+     if not claims.get("admin", True):
          return None
      return db.users()
=== default_privileged
- def remove(post, user, is_admin=False):
+ def remove(post, user, is_admin=True):
      if post.author != user and not is_admin:
          raise PermissionError("not yours")
      post.remove()
=== method_uncalled
  def publish(user, post):
-     if not user.can_publish():
+     if not user.can_publish:
          raise PermissionError("not allowed")
      post.publish()
=== order_for_equality
  def read(record, user):
-     if record.owner_id != user.id:
+     if record.owner_id < user.id:
          raise PermissionError("not yours")
      return record
=== printed_prefix of the same
-     if record.owner_id != user.id:
+     if not str(record.owner_id).startswith(str(user.id)):
=== checked_late
  def remove(user, post_id):
+     db.execute("DELETE FROM posts WHERE id = ?", (post_id,))
      if not user.is_admin:
          raise PermissionError("admins only")
-     db.execute("DELETE FROM posts WHERE id = ?", (post_id,))
      return "removed"
=== guard_removed, left alone
  def half(number):
      if number % 2:
          raise ValueError("odd")
      return number // 2
=== default_privileged, left alone
  def listed(items, sort=False):
      return sorted(items) if sort else list(items)
""")

PLUGIN = Operator(
    name="MISSINGAUTH",
    title="Authorisation missing",
    cwes=("CWE-862", "CWE-863", "CWE-284", "CWE-285"),
    variants={
        "guard_removed": each(removed_each(TOPIC)),
        "guards_removed": each(removed_all(TOPIC)),
        "decorator_removed": each(decorators_removed(access.DECORATORS)),
        "lesser_role": each(lesser_role),
        "role_widened": each(weaken_guards(rules.role_widened("user", "guest"), TOPIC)),
        "condition_dropped": each(weaken_guards(rules.condition_dropped, TOPIC)),
        "connective_swapped": each(weaken_guards(rules.connective_swapped, TOPIC)),
        "presence_for_value": each(weaken_guards(rules.presence_for_value, TOPIC)),
        "attribute_present": each(weaken_guards(rules.attribute_present, TOPIC)),
        "default_grants": each(weaken_guards(rules.default_grants, TOPIC)),
        "default_privileged": each(default_privileged),
        "method_uncalled": each(weaken_guards(rules.method_uncalled, TOPIC)),
        "order_for_equality": each(weaken_guards(rules.order_for_equality, TOPIC)),
        "printed_prefix": each(weaken_guards(rules.printed_prefix, r"\bid\b|_id\b|user|owner")),
        "only_when_present": each(weaken_guards(rules.only_when_present, TOPIC)),
        "checked_late": each(checked_late(TOPIC, r".")),
        "failure_swallowed": each(swallow_refusals(TOPIC)),
    },
    alternatives={"other_words": each(other_words), "named_test": each(named_test)},
    witnesses=("granted", "event:stored", "event:file.opened", "event:http.requested"),
    attacks={
        "user": access.USERS,
        "request": access.REQUESTS,
        "id": access.IDS,
        "number": access.IDS,
        "role": ("'guest'", "'user'", "''", "None", "'viewer'"),
        "token": access.TOKENS,
        "session": ("{}", "None", "_record(role='user')"),
        "text": ("'add'", "'remove'", "'mallory'"),
    },
    watched={"auth": ("last_username", "last_password", "auth_attempts")},
    paper=Paper(
        terms=(
            *("authori", "permission", "access.*control", "role", "privilege", "admin", "owner"),
            *("forbidden", "403", "acl"),
        ),
        payloads=(
            *("unauthorized", "forbidden", "403", "permission", "admin", "role", "access_denied"),
        ),
        watched={"auth": ("last_username", "last_password", "auth_attempts")},
    ),
    examples=EXAMPLES,
)
