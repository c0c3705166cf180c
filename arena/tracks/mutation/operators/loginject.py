r"""LOGINJECT: line breaks of an input get into a log and forge records."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _cleaning
from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._constants import OTHER_WORDS, string, text_of
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import (
    Change,
    New,
    View,
    argument,
    each,
    expression,
    nodes,
)
from arena.tracks.mutation.operators._operator import Operator, Paper, Rewriting

BREAKS = ("\n", "\r", "\r\n")
PATTERN = re.compile(r"\\[nrsx]|\\u|\n|\r|\[:cntrl:\]")


def breaks_of(view: View, call: cst.Call) -> str:
    """What a call takes out of a text: "\\n" or "\\r" for `x.replace`, "all" for a cleaning by pattern."""
    name = view.called_name(call)
    if name.endswith(".replace") and isinstance(call.func, cst.Attribute) and len(call.args) == 2:
        text = text_of(call.args[0].value)
        return text if text in BREAKS else ""
    if name == "re.sub":
        pattern = argument(call, 0, "pattern")
        return "all" if pattern and PATTERN.search(text_of(pattern.value) or "") else ""
    if name.endswith(".translate") or _filtered_text(call) is not None:
        return "all"
    return ""


def _filtered_text(call: cst.Call) -> cst.BaseExpression | None:
    """The text that `"".join(c for c in text if ...)` or `" ".join(text.splitlines())` goes over."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "join" or not call.args:
        return None
    over = call.args[0].value
    if isinstance(over, cst.GeneratorExp | cst.ListComp):
        chosen = over.for_in.ifs or isinstance(over.elt, cst.IfExp)
        return over.for_in.iter if chosen and isinstance(over.for_in.iter, cst.Name) else None
    if isinstance(over, cst.Call) and isinstance(over.func, cst.Attribute):
        return (
            over.func.value
            if over.func.attr.value in ("splitlines", "split") and not over.args
            else None
        )
    return None


def _cleaned_text(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """The text that a cleaning call works on."""
    if view.called_name(call) == "re.sub":
        arg = argument(call, 2, "string")
        return arg.value if arg else None
    filtered = _filtered_text(call)
    if filtered is not None:
        return filtered
    return call.func.value if isinstance(call.func, cst.Attribute) else None


def _chains(view: View) -> Iterator[tuple[cst.BaseExpression, list[cst.Call], cst.BaseExpression]]:
    """Each chain of cleaning calls: all of it, its calls (last first), and the text it begins with."""
    inner: set[cst.CSTNode] = set()
    for call in nodes(view.module, cst.Call):
        # An inner call of a chain that is known already; `nodes` gives the outer one first.
        if call in inner or not breaks_of(view, call):
            continue
        links: list[cst.Call] = []
        text: cst.BaseExpression | None = call
        while isinstance(text, cst.Call) and breaks_of(view, text):
            links.append(text)
            text = _cleaned_text(view, text)
        inner.update(links)
        if text is not None:
            yield call, links, text


def _drop_cleaning(view: View) -> Iterator[Change]:
    for whole, _, text in _chains(view):
        yield Change(((whole, text),))


def _all_uncleaned(view: View) -> Iterator[Change]:
    replacements = tuple((whole, text) for whole, _, text in _chains(view))
    if len(replacements) > 1:
        yield Change(replacements)


def _keep_line_break(character: str) -> Rewriting:
    """A call of a chain is dropped, and with it the care for a single kind of line break."""

    def find(view: View) -> Iterator[Change]:
        for whole, links, _ in _chains(view):
            of_it = [link for link in links if breaks_of(view, link) == character]
            # With one call only the whole cleaning would go, which "uncleaned" does.
            if len(links) > 1 and len(of_it) == 1:
                text = _cleaned_text(view, of_it[0])
                if text is not None and of_it[0] is not whole:
                    yield Change(((of_it[0], text),))
                elif text is not None:
                    yield Change(((whole, text),))

    return each(find)


def _first_only(view: View) -> Iterator[Change]:
    """`replace` and `re.sub` with a count of 1: a second line break stays."""
    for _, links, _ in _chains(view):
        replacements: list[tuple[cst.CSTNode, New]] = []
        for link in links:
            # A call with more arguments has a count already.
            place = 3 if view.called_name(link) == "re.sub" else 2
            if len(link.args) == place and breaks_of(view, link) in ("\n", "all"):
                replacements.append(
                    (link, link.with_changes(args=[*link.args, cst.Arg(cst.Integer("1"))]))
                )
        if (
            len(replacements) == 1
            and isinstance(replacements[0][0], cst.Call)
            and _is_replacing(view, replacements[0][0])
        ):
            yield Change(tuple(replacements))


def _is_replacing(view: View, call: cst.Call) -> bool:
    return view.called_name(call).endswith((".replace", "re.sub"))


def _strip_ends_only(view: View) -> Iterator[Change]:
    """Only line breaks at the ends are taken away."""
    for whole, _, text in _chains(view):
        yield Change(((whole, expression("{text}.strip()", text=text)),))


def _filler(filler: dict[str, str]) -> Rewriting:
    """An alternative: what stands in a line break's place."""

    def find(view: View) -> Iterator[Change]:
        replacements: list[tuple[cst.CSTNode, New]] = []
        for _, links, _ in _chains(view):
            for link in links:
                if link.args and breaks_of(view, link) in filler and _is_replacing(view, link):
                    value = link.args[1].value
                    replacements.append((value, string(filler[breaks_of(view, link)], value)))
        if replacements:
            yield Change(tuple(replacements))

    return each(find)


FORGED = "\nINFO root: forged record"

EXAMPLES = examples(r"""
=== uncleaned

  import logging


  def seen(user, page):
-     user = user.replace("\n", " ").replace("\r", " ")  # one line
+     user = user  # one line
      logging.info("%s saw %s", user, page)
=== newline_kept
  import logging
- logging.info(name.replace('\n', '').replace('\r', ''))
+ logging.info(name.replace('\r', ''))
=== return_kept

  import logging
  from flask import Flask, request

  app = Flask(__name__)


  @app.route("/find")
  def find():
-     term = request.args["q"].replace("\n", "").replace("\r", "")
+     term = request.args["q"].replace("\n", "")
      logging.info("search %s", term)
      return "ok"
=== all_uncleaned
- log(a.replace('\n', ''), b.replace('\n', ''))
+ log(a, b)
=== first_only
- log(a.replace('\n', ''))
+ log(a.replace('\n', '', 1))
=== stripped
- log(a.replace('\n', ''))
+ log(a.strip())
=== other_filler
- log(a.replace('\n', ''))
+ log(a.replace('\n', '_'))
=== escaped
- log(a.replace('\n', ''))
+ log(a.replace('\n', '\\n'))
=== uncleaned
  class Audit:
      def tell(self, who):
-         self.log.info(''.join(c for c in who if c.isprintable()))
+         self.log.info(who)
=== uncleaned, left alone
  log(a.replace('-', ' '))
=== first_only, left alone
  import re
  log(re.sub('-+', '-', a))
""")

PLUGIN = Operator(
    name="LOGINJECT",
    title="Log injection",
    cwes=("CWE-117",),
    variants={
        "uncleaned": each(_drop_cleaning),
        "all_uncleaned": each(_all_uncleaned),
        "newline_kept": _keep_line_break("\n"),
        "return_kept": _keep_line_break("\r"),
        "first_only": each(_first_only),
        "stripped": each(_strip_ends_only),
        **_cleaning.variants,
    },
    alternatives={
        "other_filler": _filler({"\n": "_", "\r": "_", "all": "_"}),
        "escaped": _filler({"\n": "\\n", "\r": "\\r"}),
        "other_words": each(other_words),
    },
    witnesses=("event:log.forged", "line-break"),
    attacks={
        kind: (repr(f"a{FORGED}\nb"), repr(f"a{FORGED.replace(chr(10), chr(13))}b"))
        for kind in (
            "text",
            "name",
            "user",
            "log",
            "query",
            "path",
            "url",
            "id",
            "filename",
            "email",
            "any",
        )
    },
    watched={"log": ("records", "last_record")},
    paper=Paper(
        terms=(
            *("log", "inject", "newline", "crlf", "\\n", "\\r", "sanitize", "escape"),
            *("audit", "record", "forged"),
        ),
        payloads=("\\n", "\\r", "newline", "%0a", "log_entry", "forged"),
    ),
    examples=(*EXAMPLES, OTHER_WORDS, *_cleaning.EXAMPLES),
)
