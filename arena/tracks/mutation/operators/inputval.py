"""INPUTVAL: checks of an input's form, range or size are removed or weakened."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    constants_raised,
    decorators_removed,
    denied_dropped,
    fits,
    receiver,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import (
    removed_all,
    removed_each,
    weaken_guards,
)
from arena.tracks.mutation.operators._names import Change, View, each, nodes
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._patterns import (
    class_widened,
    end_unanchored,
    length_unbounded,
    line_matched,
    start_unanchored,
)
from arena.tracks.mutation.operators._scopes import source


def folding_dropped(view: View) -> Iterator[Change]:
    """Finds: an input that is compared as it is, without strip(), lower() and the like before."""
    for call in nodes(view.module, cst.Call):
        where = receiver(call)
        # With arguments, `strip("/")`, it is more than folding.
        if where is None or call.args or not isinstance(where, cst.Name | cst.Attribute):
            continue
        compared = isinstance(
            view.parents.get(call), cst.Assign | cst.Comparison | cst.ComparisonTarget
        )
        if compared and source(call.func).endswith((".lower", ".casefold", ".strip", ".upper")):
            yield Change(((call, fits(view, call, where)),))


WRONG = (
    "'..'",
    "'a/b'",
    "'a\\\\b'",
    "''",
    "'name; rm -rf x'",
    "'ok\\nrm -rf x'",
    "'<script>'",
    "'../../etc/passwd'",
    "'a..b'",
    "'+1 (555) 123-4567 ext'",
    "'((((((('",
    "'123456'",
    "'12345678901234567'",
    "'abc1234567'",
    "'1234567\\nx'",
    "'x' * 20000",
    "None",
)
NUMBERS = ("100000", "-1", "0", "10**9", "5000", "'abc'", "None", "float('inf')", "4096 * 500")
STREAMS = tuple(
    f"__import__('io').BytesIO(bytes({mib} * 1024 * 1024 + 1))" for mib in (1, 5, 10, 20, 50)
)
TEXTS = (
    "text",
    "name",
    "filename",
    "query",
    "email",
    "path",
    "token",
    "key",
    "html",
    "password",
    "url",
)


EXAMPLES = examples("""
=== guard_removed
  import re

  def safe_name(name):
-     # what a name may hold
-     if not re.match(r"^[a-z0-9_]+$", name):
-         raise ValueError("no such name")
      return name
=== end_unanchored of the same
-     if not re.match(r"^[a-z0-9_]+$", name):
+     if not re.match(r"^[a-z0-9_]+", name):
=== start_unanchored of the same
-     if not re.match(r"^[a-z0-9_]+$", name):
+     if not re.search(r"[a-z0-9_]+$", name):
=== class_widened of the same
-     if not re.match(r"^[a-z0-9_]+$", name):
+     if not re.match(r"^.+$", name):
=== line_matched of the same
-     if not re.match(r"^[a-z0-9_]+$", name):
+     if not re.match(r"^[a-z0-9_]+$", name, re.MULTILINE):
=== other_words of the same
-         raise ValueError("no such name")
+         raise ValueError("Request refused")
=== named_test of the same
-     if not re.match(r"^[a-z0-9_]+$", name):
+     refused = not re.match(r"^[a-z0-9_]+$", name)
+     if refused:
=== guards_removed
  class Account:
      def withdraw(self, amount):
-         if amount <= 0:
-             raise ValueError("nothing to withdraw")
-         if amount > self.balance:
-             raise ValueError("not enough")
          self.balance -= amount
=== condition_dropped
  def scale(image, width, height):
-     if width > 4096 or height > 4096:
+     if height > 4096:
          raise ValueError("too large")
      return image.resize((width, height))
=== connective_swapped of the same
-     if width > 4096 or height > 4096:
+     if width > 4096 and height > 4096:
=== limit_raised of the same
-     if width > 4096 or height > 4096:
+     if width > 4096 or height > 4096 * 1000:
=== constant_raised
- MOST = 1024 * 1024
+ MOST = 1024 * 1024 * 1000

  def read(stream):
      content = stream.read(MOST + 1)
      if len(content) > MOST:
          raise ValueError("too much")
      return content
=== equality_for_limit of the same
-     if len(content) > MOST:
+     if len(content) == MOST:
=== length_unbounded
  import re

- PHONE = re.compile(r"[0-9+]{7,15}")
+ PHONE = re.compile(r"[0-9+]{7,}")

  def is_phone(text):
      return PHONE.fullmatch(text) is not None
=== end_unanchored of the same
-     return PHONE.fullmatch(text) is not None
+     return PHONE.match(text) is not None
=== only_when_present
  def confirm(code, expected):
-     if code != expected:
+     if code and code != expected:
          return {"error": "wrong code"}, 400
      return {"done": True}
=== guard_removed, left alone
  def mean(numbers):
      if len(numbers) == 1:
          return numbers[0]
      return sum(numbers) / len(numbers)
=== limit_raised, left alone
  def total(numbers):
      return sum(n for n in numbers if n)
""")

PLUGIN = Operator(
    name="INPUTVAL",
    title="Input validation weakened",
    cwes=("CWE-20", "CWE-400", "CWE-1284"),
    variants={
        "guard_removed": each(removed_each("")),
        "guards_removed": each(removed_all("")),
        "condition_dropped": each(weaken_guards(rules.condition_dropped)),
        "connective_swapped": each(weaken_guards(rules.connective_swapped)),
        "limit_raised": each(weaken_guards(rules.limit_raised)),
        "constant_raised": each(constants_raised("")),
        "equality_for_limit": each(weaken_guards(rules.equality_for_limit)),
        "end_unanchored": each(end_unanchored),
        "start_unanchored": each(start_unanchored),
        "class_widened": each(class_widened),
        "line_matched": each(line_matched),
        "length_unbounded": each(length_unbounded),
        "denied_dropped": each(denied_dropped("")),
        "only_when_present": each(weaken_guards(rules.only_when_present)),
        "folding_dropped": each(folding_dropped),
        "decorator_removed": each(decorators_removed(r"limit|throttle|validat|schema|timeout|max")),
    },
    alternatives={"other_words": each(other_words), "named_test": each(named_test)},
    witnesses=("granted", "special", "slow"),
    attacks={
        **dict.fromkeys(TEXTS, WRONG),
        "id": (*NUMBERS, *WRONG),
        "number": NUMBERS,
        "size": NUMBERS,
        "data": (*STREAMS, *WRONG),
        "mapping": ("{}", "{'name': ''}", "{'age': -1}", "{'name': 'x' * 20000}"),
        "list": ("list(range(100000))", "[]", "['x'] * 20000"),
    },
    paper=Paper(
        terms=(
            *("validate", "sanitize", "filter", "whitelist", "blacklist", "allow", "deny", "regex"),
            *("clean", "input.*check", "boundary", "range", "type.*error", "invalid"),
        ),
        payloads=(
            *("attacker.com", "evil.com", ".attacker.", "<script>", "-999", "../", "..\\"),
            *("null", "undefined", "' OR '1'='1", "999999999", "-1", "__proto__"),
        ),
    ),
    examples=EXAMPLES,
)
