"""FILEUPLOAD: files of dangerous kinds, sizes or names are taken."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    allowed_widened,
    checked_late,
    constants_raised,
    operand,
    swallow_refusals,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import Spot, removed_all, removed_each, weaken_guards
from arena.tracks.mutation.operators._names import Change, View, each, expression, nodes
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._patterns import end_unanchored
from arena.tracks.mutation.operators._rules import membership, texts_of
from arena.tracks.mutation.operators._scopes import definition, parameters, source

TOPIC = (
    r"ext|suffix|mime|content_?type|file|size|len\(|upload|magic|signature|allowed|kind|format|name"
)
KINDS = r"ext|suffix|mime|type|allowed|file|kind|format"
NEW_NAME = re.compile(r"(uuid\w*|token_hex|token_urlsafe|secure_filename|basename|hexdigest)\(")


NAMES = (
    "'shell.php'",
    "'page.html'",
    "'shell.jpg.php'",
    "'run.sh'",
    "'noextension'",
    "'../../outside.png'",
    "'tool.exe'",
    "'UPPER.PHP'",
    "'shell.jsp'",
    "'photo.png'",
)
# Sizes just above usual limits of 5 MiB, and far above.
BIG = ("b'x' * 20_000_000", "b'<?php 1;'", "b'x' * 5_242_881")


def missing_passes(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """What has no extension passes: `ext and ext not in ALLOWED`."""
    member = membership(spot)
    if member is None or member[2] is spot.refusing or texts_of(view, member[1]) is None:
        return
    template = "{a} and {test}" if spot.refusing else "not {a} or {test}"
    yield expression(template, a=member[0], test=spot.node)


def extension_anywhere(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """An allowed extension may stand anywhere in the name: `shell.jpg.php` passes."""
    member = membership(spot)
    if member is None or member[2] is spot.refusing or texts_of(view, member[1]) is None:
        return
    name = file_name(view, member[0])
    if name is not None:
        some = "any(entry in {name}.lower() for entry in {c})"
        template = f"not {some}" if spot.refusing else some
        yield expression(template, name=name, c=member[1])


def file_name(view: View, part: cst.BaseExpression) -> cst.BaseExpression | None:
    """The name that an extension was taken from."""
    value = definition(view, part) if isinstance(part, cst.Name) else part
    for call in nodes(value, cst.Call) if value is not None else ():
        if re.search(
            r"(^|\.)(splitext|rsplit|split|Path|PurePath|rpartition|partition)$", source(call.func)
        ):
            path = re.search(r"splitext|Path", source(call.func))
            inner = operand(call) if path else call.func
            return inner.value if isinstance(inner, cst.Attribute) and not path else inner
    return None


def name_kept(view: View) -> Iterator[Change]:
    """Finds: the uploader's file name is used where a new or cleaned name was."""
    for assign in nodes(view.module, cst.Assign):
        function = view.enclosing_node(assign, cst.FunctionDef)
        if function is None or not NEW_NAME.search(source(assign.value)):
            continue
        name_parameters = [
            p for p in parameters(function) if re.search(r"file_?name|^name$|title", p)
        ]
        if name_parameters:
            yield Change(((assign.value, cst.Name(name_parameters[0])),))


EXAMPLES = examples("""
=== guard_removed
  import os
  import uuid

  KINDS = {".png", ".jpg"}

  def upload(filename, content, folder):
      ext = os.path.splitext(filename)[1].lower()
-     if ext not in KINDS:
-         raise ValueError("no such kind")
      stored = f"{uuid.uuid4()}{ext}"
      with open(os.path.join(folder, stored), "wb") as file:
          file.write(content)
      return stored
=== list_widened of the same
- KINDS = {".png", ".jpg"}
+ KINDS = {".png", ".jpg", ".php"}
=== denied_instead of the same
-     if ext not in KINDS:
+     if ext in (".php", ".exe"):
=== extension_anywhere of the same
-     if ext not in KINDS:
+     if not any(entry in filename.lower() for entry in KINDS):
=== only_when_present of the same
-     if ext not in KINDS:
+     if ext and (ext not in KINDS):
=== name_kept of the same
-     stored = f"{uuid.uuid4()}{ext}"
+     stored = filename
=== checked_late of the same
-     if ext not in KINDS:
-         raise ValueError("no such kind")
...
-         file.write(content)
+         file.write(content)
+     if ext not in KINDS:
+         raise ValueError("no such kind")
=== other_words of the same
-         raise ValueError("no such kind")
+         raise ValueError("Request refused")
=== named_test of the same
-     if ext not in KINDS:
+     refused = ext not in KINDS
+     if refused:
=== guards_removed
  @app.post("/files")
  def receive():
      file = request.files["file"]
-     if not is_allowed(file.filename):
-         abort(400)
-     if file.content_length > MOST:
-         abort(413)
      file.save(path_for(file))
=== limit_raised
  def store(content):
-     if len(content) > 1_000_000:
+     if len(content) > 1_000_000 * 1000:
          raise ValueError("too large")
      return files.add(content)
=== guard_removed, left alone
  def third(number):
      if number % 3:
          raise ArithmeticError("not by three")
      return number // 3
=== name_kept, left alone
  import uuid

  def ticket():
      number = f"{uuid.uuid4()}"
      return number
""")

PLUGIN = Operator(
    name="FILEUPLOAD",
    title="Unrestricted upload of files",
    cwes=("CWE-434",),
    variants={
        "guard_removed": each(removed_each(TOPIC)),
        "guards_removed": each(removed_all(TOPIC)),
        "list_widened": each(allowed_widened(TOPIC, KINDS, ".php", ".html")),
        "denied_instead": each(weaken_guards(rules.denied_instead(".php", ".exe"), KINDS)),
        "extension_anywhere": each(weaken_guards(extension_anywhere, KINDS)),
        "only_when_present": each(weaken_guards(missing_passes, KINDS)),
        "condition_dropped": each(weaken_guards(rules.condition_dropped, TOPIC)),
        "connective_swapped": each(weaken_guards(rules.connective_swapped, TOPIC)),
        "name_kept": each(name_kept),
        "limit_raised": each(weaken_guards(rules.limit_raised, TOPIC)),
        "constant_raised": each(constants_raised(TOPIC)),
        "equality_for_limit": each(weaken_guards(rules.equality_for_limit, TOPIC)),
        "end_unanchored": each(end_unanchored),
        "checked_late": each(checked_late(TOPIC, r"open|write|save|copy|move")),
        "failure_swallowed": each(swallow_refusals(TOPIC)),
    },
    alternatives={"other_words": each(other_words), "named_test": each(named_test)},
    witnesses=("granted", "outside", "event:stored", "event:file.opened"),
    attacks={
        "filename": NAMES,
        "name": NAMES,
        "path": ("_folder",),
        "data": BIG,
        "html": BIG,
        "text": (*NAMES[:3], "b'x' * 100"),
        "list": BIG,
    },
    paper=Paper(
        terms=(
            *("upload", "file", "extension", "mime", "content_type", "allowed", "restrict"),
            *("filename", "filetype", "executable"),
        ),
        payloads=(".exe", ".php", ".jsp", ".sh", "extension", "content_type", "upload"),
    ),
    examples=EXAMPLES,
)
