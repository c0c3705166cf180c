"""IDOR: records of others can be reached through an identifier that the user controls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arena.tracks.mutation.operators import _access as access
from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import checked_late
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import removed_each, weaken_guards
from arena.tracks.mutation.operators._names import Change, View, each
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._statements import remove_parameter, statements_run

TOPIC = (
    # Guards that only compare sizes are about limits, even where a name such as `user_count` stands in them.
    r"(?s)^(?!magnitude:).*(owner|user|account|current|tenant|belong|_id\b)"
    r"|permission|access|denied|forbid|author|\b403\b"
)
OWNED = re.compile(
    r"\s+AND\s+\w*\.?(\w*(owner|user|account|tenant|author|customer|member|created_by)\w*)\s*=\s*"
    r"(\?|%s|:\w+|%\(\w+\)s)",
    re.IGNORECASE,
)


def owner_not_asked(view: View) -> Iterator[Change]:
    """Finds: a statement's condition on the owner forgotten, with its parameter."""
    for run in statements_run(view):
        match = OWNED.search(run.text)
        if match is not None:
            change = remove_parameter(run, match.start(), match.end(), match.group(3))
            if change is not None:
                yield change


EXAMPLES = examples("""
=== guard_removed
  def profile(user_id, current_user_id):
-     if user_id != current_user_id:
-         raise PermissionError("not your profile")
      return db.profile(user_id)
=== presence_for_value of the same
-     if user_id != current_user_id:
+     if current_user_id is None:
=== order_for_equality of the same
-     if user_id != current_user_id:
+     if user_id < current_user_id:
=== printed_prefix of the same
-     if user_id != current_user_id:
+     if not str(user_id).startswith(str(current_user_id)):
=== only_when_present of the same
-     if user_id != current_user_id:
+     if current_user_id and user_id != current_user_id:
=== checked_late of the same
- def profile(user_id, current_user_id):
+ def profile(user_id, current_user_id):
+     result = db.profile(user_id)
-     return db.profile(user_id)
+     return result
=== other_words of the same
-         raise PermissionError("not your profile")
+         raise PermissionError("Request refused")
=== named_test of the same
-     if user_id != current_user_id:
+     refused = user_id != current_user_id
+     if refused:
=== owner_not_asked
  class Notes:
      def one(self, note_id, user_id):
-         query = "SELECT * FROM notes WHERE id = ? AND owner_id = ?"
-         return self.db.execute(query, (note_id, user_id)).fetchone()
+         query = "SELECT * FROM notes WHERE id = ?"
+         return self.db.execute(query, (note_id,)).fetchone()
=== condition_dropped
  def read(document, user):
-     if document.owner == user.id and document.tenant == user.tenant:
+     if document.tenant == user.tenant:
          return document
      return None
=== guard_removed, left alone
  def withdraw(account, amount):
      if amount > account.balance:
          raise ValueError("not enough")
      account.balance -= amount
=== guard_removed, left alone
  def root(number):
      if number < 0:
          raise ValueError("negative")
      return number**0.5
=== owner_not_asked, left alone
  def one(db, key):
      return db.execute("SELECT * FROM notes WHERE id = ? AND open = ?", (key, 1))
""")

PLUGIN = Operator(
    name="IDOR",
    title="Insecure direct object reference",
    cwes=("CWE-639", "CWE-284"),
    variants={
        "guard_removed": each(removed_each(TOPIC)),
        "owner_not_asked": each(owner_not_asked),
        "presence_for_value": each(weaken_guards(rules.presence_for_value, TOPIC)),
        "order_for_equality": each(weaken_guards(rules.order_for_equality, TOPIC)),
        "printed_prefix": each(weaken_guards(rules.printed_prefix, TOPIC)),
        "only_when_present": each(weaken_guards(rules.only_when_present, TOPIC)),
        "condition_dropped": each(weaken_guards(rules.condition_dropped, TOPIC)),
        "connective_swapped": each(weaken_guards(rules.connective_swapped, TOPIC)),
        "checked_late": each(checked_late(TOPIC, r".")),
    },
    alternatives={"other_words": each(other_words), "named_test": each(named_test)},
    witnesses=("granted", "event:stored", "event:sql.interpolated"),
    attacks={
        "id": access.IDS,
        "number": access.IDS,
        "user": access.USERS,
        "request": access.REQUESTS,
        "session": ("{'user_id': 98}", "_record(user_id=98)", "{}"),
        "text": ("'mallory'",),
    },
    paper=Paper(
        terms=(
            *("auth", "owner", "permission", "access", "user_id", "session", "unauthorized"),
            *("belongs.*to", "ownership", "forbidden"),
        ),
        payloads=("user_id", "owner", "forbidden", "unauthorized", "access_denied", "belongs_to"),
    ),
    examples=EXAMPLES,
)
