"""MISSINGAUTH: authorisation is removed or weakened."""

from __future__ import annotations

from arena.tracks.mutation.operators import _access as access
from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    checked_late,
    decorators_removed,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import (
    removed_all,
    removed_each,
    weaken_guards,
)
from arena.tracks.mutation.operators._names import each
from arena.tracks.mutation.operators._operator import Operator, Paper

TOPIC = access.AUTHORISATION


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
=== guard_removed, left alone
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
        "role_widened": each(weaken_guards(rules.role_widened("user", "guest"), TOPIC)),
        "condition_dropped": each(weaken_guards(rules.condition_dropped, TOPIC)),
        "connective_swapped": each(weaken_guards(rules.connective_swapped, TOPIC)),
        "presence_for_value": each(weaken_guards(rules.presence_for_value, TOPIC)),
        "attribute_present": each(weaken_guards(rules.attribute_present, TOPIC)),
        "order_for_equality": each(weaken_guards(rules.order_for_equality, TOPIC)),
        "printed_prefix": each(weaken_guards(rules.printed_prefix, r"\bid\b|_id\b|user|owner")),
        "only_when_present": each(weaken_guards(rules.only_when_present, TOPIC)),
        "checked_late": each(checked_late(TOPIC, r".")),
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
