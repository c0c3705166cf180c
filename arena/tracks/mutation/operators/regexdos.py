"""REGEXDOS: patterns that take exponential time, or that a user may write."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    Finder,
    constants_raised,
    drop_calls,
    fits,
    operand,
    swallow_refusals,
    weaker,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import removed_all, removed_each, weaken_guards
from arena.tracks.mutation.operators._names import (
    Change,
    View,
    argument,
    each,
    expression,
    nodes,
    remove_argument,
)
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._patterns import MATCHING, METHODS, pattern_edited
from arena.tracks.mutation.operators._scopes import source

TOPIC = r"re\.|pattern|regex|len\(|timeout|nested|quantifier|[*+]"
REPEATED = re.compile(r"(\[(?:[^\]\\]|\\.)+\]|\\[wdsWDS])\+(?![?+])")


def escaped_by(template: str) -> Finder:
    """Finds: each re.escape with something weaker in its place; {x} is what it escapes."""

    def find(view: View) -> Iterator[Change]:
        for call in view.calls("re.escape"):
            inner = operand(call)
            if inner is not None:
                yield Change(((call, fits(view, call, weaker(template, inner, call))),))

    return find


def escaped_only_if_invalid(view: View) -> Iterator[Change]:
    """Finds: what compiles is taken as a pattern, and the rest is escaped."""
    for call in view.calls("re.escape"):
        line, inner = view.enclosing_node(call, cst.SimpleStatementLine), operand(call)
        function = view.enclosing_node(call, cst.FunctionDef)
        if line is None or inner is None or function is None or not isinstance(inner, cst.Name):
            continue
        if "re" not in view.bound or any(nodes(line, cst.Raise)):
            continue
        raw = line.deep_replace(call, inner)
        tried = cst.Try(
            body=cst.IndentedBlock([raw]),  # type: ignore[list-item]
            handlers=[
                cst.ExceptHandler(
                    type=expression("re.error"),
                    body=cst.IndentedBlock([line.with_changes(leading_lines=[])]),
                )
            ],
            leading_lines=line.leading_lines,
        )
        compiled = any(source(c.func).endswith("compile") for c in nodes(line, cst.Call))
        if compiled:
            yield Change(((line, tried),))


def restrict_to_pattern_users(find: Finder) -> Finder:
    """Finds the same, in programs that match patterns only."""
    pattern_calls = (
        *MATCHING,
        *METHODS,
        "re.sub",
        "re.findall",
        "re.split",
        "regex.match",
        "re.finditer",
    )
    return lambda view: find(view) if any(view.calls(*pattern_calls)) else ()


def timeout_removed(view: View) -> Iterator[Change]:
    """Finds: a match without its time limit (module regex)."""
    for call in nodes(view.module, cst.Call):
        arg = argument(call, None, "timeout")
        if arg is not None and re.search(
            r"(^|\.)(match|fullmatch|search|sub|findall)$", source(call.func)
        ):
            yield Change(((call, remove_argument(call, arg)),))


def escaped_by_hand(view: View) -> Iterator[Change]:
    """Finds: every character that is no letter or digit escaped by a substitution."""
    for call in view.calls("re.escape"):
        inner = operand(call)
        if inner is not None:
            yield Change(((call, expression(r're.sub(r"(\W)", r"\\\1", {x})', x=inner)),))


PATTERNS = (
    "'(a+)+$'",
    "'(a|aa)+$'",
    "'(.*)*x$'",
    "'*a*a*a*a*a*a*a*a*b'",
    "'((a+)+)+$'",
    "'.*'",
    "'('",
    "'a{1,99}{1,99}$'",
)
SUBJECTS = (
    "'a' * 30 + '!'",
    "'1' * 40 + '!'",
    "'a' * 5000 + '!'",
    "'a' * 40 + '@'",
    "'-' * 40 + '!'",
)


EXAMPLES = examples(r"""
=== escape_removed
  import re

  def found(word, text):
-     pattern = re.compile(re.escape(word))
+     pattern = re.compile(word)
      return bool(pattern.search(text))
=== dots_only of the same
-     pattern = re.compile(re.escape(word))
+     pattern = re.compile(word.replace(".", r"\."))
=== wildcards_kept of the same
-     pattern = re.compile(re.escape(word))
+     pattern = re.compile(re.escape(word).replace(r"\*", ".*"))
=== groups_kept of the same
-     pattern = re.compile(re.escape(word))
+     pattern = re.compile(re.escape(word).replace(r"\(", "(").replace(r"\)", ")").replace(r"\+", "+"))
=== escaped_if_long of the same
-     pattern = re.compile(re.escape(word))
+     pattern = re.compile(re.escape(word) if len(word) > 100 else word)
=== escaped_only_if_invalid of the same
-     pattern = re.compile(re.escape(word))
+     try:
+         pattern = re.compile(word)
+     except re.error:
+         pattern = re.compile(re.escape(word))
=== escaped_by_hand of the same
-     pattern = re.compile(re.escape(word))
+     pattern = re.compile(re.sub(r"(\W)", r"\\\1", word))
=== nested_quantifier
  import re

  @app.get("/check")
  def check():
-     return str(bool(re.fullmatch(r"[a-z]+@[a-z]+", request.args["email"])))
+     return str(bool(re.fullmatch(r"([a-z]+)+@[a-z]+", request.args["email"])))
=== timeout_removed
  import regex

  def found(pattern, text):
-     return regex.search(pattern, text, timeout=1)
+     return regex.search(pattern, text)
=== guard_removed
  import re

  class Filter:
      def matches(self, pattern, text):
-         if len(pattern) > 50:
-             raise ValueError("pattern is too long")
          return re.search(pattern, text)
=== limit_raised
  import re

  def matches(pattern, text):
-     if len(pattern) > 50:
+     if len(pattern) > 50 * 1000:
          raise ValueError("pattern is too long")
      return re.search(pattern, text)
=== other_words of the same
-         raise ValueError("pattern is too long")
+         raise ValueError("Request refused")
=== named_test of the same
-     if len(pattern) > 50:
+     refused = len(pattern) > 50
+     if refused:
=== guard_removed, left alone
  def store(content):
      if len(content) > 1000:
          raise ValueError("too large")
      return content
=== escape_removed, left alone
  import html

  def shown(text):
      return html.escape(text)
""")

PLUGIN = Operator(
    name="REGEXDOS",
    title="Patterns of exponential time",
    cwes=("CWE-400", "CWE-1333"),
    variants={
        "escape_removed": each(drop_calls("re.escape")),
        "dots_only": each(escaped_by(r'{x}.replace(".", r"\.")')),
        "wildcards_kept": each(escaped_by(r'{whole}.replace(r"\*", ".*")')),
        "groups_kept": each(
            escaped_by(r'{whole}.replace(r"\(", "(").replace(r"\)", ")").replace(r"\+", "+")')
        ),
        "escaped_if_long": each(escaped_by("({whole} if len({x}) > 100 else {x})")),
        "escaped_only_if_invalid": each(escaped_only_if_invalid),
        "nested_quantifier": each(pattern_edited(lambda t: REPEATED.sub(r"(\1+)+", t, count=1))),
        "timeout_removed": each(timeout_removed),
        "guard_removed": each(restrict_to_pattern_users(removed_each(TOPIC))),
        "guards_removed": each(restrict_to_pattern_users(removed_all(TOPIC))),
        "limit_raised": each(restrict_to_pattern_users(weaken_guards(rules.limit_raised, TOPIC))),
        "constant_raised": each(restrict_to_pattern_users(constants_raised(TOPIC))),
        "condition_dropped": each(
            restrict_to_pattern_users(weaken_guards(rules.condition_dropped, TOPIC))
        ),
        "failure_swallowed": each(swallow_refusals(r"re\.|regex|pattern")),
    },
    alternatives={
        "escaped_by_hand": each(escaped_by_hand),
        "other_words": each(restrict_to_pattern_users(other_words)),
        "named_test": each(restrict_to_pattern_users(named_test)),
    },
    witnesses=("slow", "pattern", "granted"),
    attacks={
        "text": (*PATTERNS, *SUBJECTS),
        "query": (*PATTERNS, *SUBJECTS),
        "html": SUBJECTS,
        "email": SUBJECTS,
        "name": SUBJECTS,
        "url": SUBJECTS,
        "data": ("__import__('io').BytesIO(bytes(10 * 1024 * 1024 + 1))",),
        "number": ("100000", "-1"),
        "size": ("100000", "-1"),
    },
    paper=Paper(
        terms=(
            *("regex", "pattern", "timeout", "backtrack", "catastrophic", "redos", "quantifier"),
            *("re.match", "re.search", "compile"),
        ),
        payloads=("(a+)+", "(.+)+", "catastrophic", "backtrack", "timeout", "redos"),
    ),
    examples=EXAMPLES,
)
