"""REGEXDOS: patterns that take exponential time, or that a user may write."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    Finder,
    drop_calls,
    fits,
    operand,
    weaker,
)
from arena.tracks.mutation.operators._examples import examples
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

# Not before a further `?` or `+`: a lazy or possessive quantifier would get another meaning.
REPEATED = re.compile(r"(\[(?:[^\]\\]|\\.)+\]|\\[wdsWDS])\+(?![?+])")


def escaped_by(template: str) -> Finder:
    """Finds: each re.escape with something weaker in its place; {x} is what it escapes."""

    def find(view: View) -> Iterator[Change]:
        for call in view.calls("re.escape"):
            inner = operand(call)
            if inner is not None:
                yield Change(((call, fits(view, call, weaker(template, inner, call))),))

    return find


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
    # The last character keeps the pattern from matching, so that every way to divide the rest is tried.
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
=== wildcards_kept of the same
-     pattern = re.compile(re.escape(word))
+     pattern = re.compile(re.escape(word).replace(r"\*", ".*"))
=== groups_kept of the same
-     pattern = re.compile(re.escape(word))
+     pattern = re.compile(re.escape(word).replace(r"\(", "(").replace(r"\)", ")").replace(r"\+", "+"))
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
=== other_words
  import re

  def matches(pattern, text):
      if len(pattern) > 50:
-         raise ValueError("pattern is too long")
+         raise ValueError("Request refused")
      return re.search(pattern, text)
=== named_test of the same
-     if len(pattern) > 50:
+     refused = len(pattern) > 50
+     if refused:
=== escape_removed, left alone
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
        "wildcards_kept": each(escaped_by(r'{whole}.replace(r"\*", ".*")')),
        "groups_kept": each(
            escaped_by(r'{whole}.replace(r"\(", "(").replace(r"\)", ")").replace(r"\+", "+")')
        ),
        "nested_quantifier": each(pattern_edited(lambda t: REPEATED.sub(r"(\1+)+", t, count=1))),
        "timeout_removed": each(timeout_removed),
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
