"""PATHCONCAT: paths from user input may leave their folder."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    Finder,
    checked_late,
    join_changes,
    receiver,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import (
    Spot,
    guards,
    guards_by_function,
    remove_guards,
    removed_each,
    weaken_guards,
)
from arena.tracks.mutation.operators._names import (
    Change,
    View,
    each,
    expression,
    nodes,
)
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._paths import (
    INSIDE,
    SENT,
    TOPIC,
    canonical_dropped,
    dots_stripped,
    instead,
    sent_by_hand,
)
from arena.tracks.mutation.operators._patterns import (
    class_widened,
    end_unanchored,
    line_matched,
)
from arena.tracks.mutation.operators._scopes import source

OPENING = r"(^|\.)(open|read\w*|write\w*|remove|unlink|send_file|load|copy\w*|move|rmtree|listdir|exists)$"


def sibling_passes(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """Containment by the text's beginning: `/data-old` passes for `/data`."""
    node = spot.node
    # Where the program refuses when the test holds, it is no test of containment.
    if spot.refusing or not isinstance(node, cst.Call) or len(node.args) != 1:
        return
    where = receiver(node)
    if where is not None and source(node.func).endswith(".is_relative_to"):
        yield expression("str({a}).startswith(str({b}))", a=where, b=node.args[0].value)


def parent_suffices(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """Containment in the folder above: `base.parent`, or os.path.dirname(base)."""
    node = spot.node
    if spot.refusing or not isinstance(node, cst.Call) or len(node.args) != 1:
        return
    base = node.args[0].value
    if source(node.func).endswith(".is_relative_to"):
        yield expression("{f}({b}.parent)", f=node.func, b=base)
    # Only str(base): `.parent` is an attribute of a path, not of a text.
    printed = isinstance(base, cst.Call) and source(base.func) == "str" and len(base.args) == 1
    if isinstance(base, cst.Call) and printed and source(node.func).endswith(".startswith"):
        yield expression("{f}(str({b}.parent))", f=node.func, b=base.args[0].value)


def anywhere_inside(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """The folder's name may stand anywhere in the path."""
    node = spot.node
    if not spot.refusing and isinstance(node, cst.Call) and len(node.args) == 1:
        where = receiver(node)
        if where is not None and source(node.func).endswith(".startswith"):
            yield expression("{b} in {a}", a=where, b=node.args[0].value)


def guards_removed(view: View) -> Iterator[Change]:
    """Finds: all guards of a function on paths taken away, where it has several."""
    for present in guards_by_function(view, guards(view, TOPIC)).values():
        # A single one is what `guard_removed` takes away.
        if len(present) > 1:
            yield remove_guards(present)


def only_pattern(find: Finder) -> Finder:
    """Finds: a looser pattern, which is all that is left of a function's checks."""

    def find_without_guards(view: View) -> Iterator[Change]:
        inside = [g for g in guards(view, INSIDE) if not re.search(r"match|search", g.about)]
        # A guard on the resolved path behind the pattern would stop what the looser pattern lets pass.
        return (join_changes([change, remove_guards(inside)]) for change in find(view))

    return find_without_guards


def safe_join_dropped(view: View) -> Iterator[Change]:
    """Finds: a plain join in place of safe_join, or of a folder that is sent from with a check."""
    for call in nodes(view.module, cst.Call):
        # By its last name: flask had it once, and werkzeug has it.
        if source(call.func).rpartition(".")[2] == "safe_join":
            yield Change(((call.func, expression("os.path.join")),), ("import os",))


TRAVERSALS = (
    "'../../etc/passwd'",
    "'/etc/passwd'",
    "'a/../../../etc/passwd'",
    "'....//....//etc/passwd'",
    "'../outside'",
    "'..'",
    r"'..\\..\\windows\\win.ini'",
    "'ok\\n/../../etc/passwd'",
    "'../uploads-old/x'",
    "'%2e%2e/%2e%2e/etc/passwd'",
    "'/etc/hosts.html'",
    "'../../tmp/uploads/x'",
)


EXAMPLES = examples(r"""
=== guard_removed
  from pathlib import Path

  BASE = Path("/srv/files").resolve()

  def read(name):
      target = (BASE / name).resolve()
-     if not target.is_relative_to(BASE):
-         raise ValueError("outside of the folder")
      return target.read_text()
=== canonical_dropped of the same
-     target = (BASE / name).resolve()
+     target = BASE / name
=== beginning_checked of the same
-     if not target.is_relative_to(BASE):
+     if name.startswith(".."):
=== parent_suffices of the same
-     if not target.is_relative_to(BASE):
+     if not target.is_relative_to(BASE.parent):
=== sibling_passes of the same
-     if not target.is_relative_to(BASE):
+     if not str(target).startswith(str(BASE)):
=== other_words of the same
-         raise ValueError("outside of the folder")
+         raise ValueError("Request refused")
=== named_test of the same
-     if not target.is_relative_to(BASE):
+     refused = not target.is_relative_to(BASE)
+     if refused:
=== guards_removed
  class Store:
      def open(self, name):
-         if not name.isalnum():
-             raise ValueError("no such name")
          path = (self.base / name).resolve()
-         if self.base not in path.parents:
-             raise ValueError("outside")
          return path.open()
=== canonical_dropped
  import os

  @app.get("/files/<name>")
  def send(name):
-     return send_file(os.path.join("/srv/files", os.path.basename(name)))
+     return send_file(os.path.join("/srv/files", name))
=== absolute_checked
  import os

  def read(folder, name):
      path = os.path.realpath(os.path.join(folder, name))
-     if not path.startswith(folder + os.sep):
+     if name.startswith("/"):
          raise PermissionError("outside of the folder")
      with open(path) as file:
          return file.read()
=== dots_checked of the same
-     if not path.startswith(folder + os.sep):
+     if ".." in name:
=== dots_stripped of the same
-     path = os.path.realpath(os.path.join(folder, name))
-     if not path.startswith(folder + os.sep):
-         raise PermissionError("outside of the folder")
+     path = os.path.realpath(os.path.join(folder, name.replace("../", "")))
=== anywhere_inside of the same
-     if not path.startswith(folder + os.sep):
+     if not (folder + os.sep) in path:
=== checked_late of the same
-     path = os.path.realpath(os.path.join(folder, name))
+     path = os.path.realpath(os.path.join(folder, name))
+     with open(path) as file:
+         result = file.read()
-     with open(path) as file:
-         return file.read()
+     return result
=== safe_join_dropped
  from werkzeug.utils import safe_join
+ import os

  def path_of(name):
-     return safe_join("/srv/files", name)
+     return os.path.join("/srv/files", name)
=== end_unanchored
  import re

  def avatar(user):
-     if not re.fullmatch(r"\w+", user):
+     if not re.match(r"\w+", user):
          raise ValueError("no such user")
      return open(f"/srv/avatars/{user}.png", "rb").read()
=== guard_removed, left alone
  from pathlib import Path

  def version():
      return Path("/srv/app/VERSION").resolve().read_text()
=== canonical_dropped, left alone
  from pathlib import Path

  BASE = Path("/srv/files").resolve()

  def files():
      return sorted(BASE.iterdir())
""")

PLUGIN = Operator(
    name="PATHCONCAT",
    title="Path traversal",
    cwes=("CWE-22", "CWE-73"),
    variants={
        "guard_removed": each(removed_each(TOPIC)),
        "guards_removed": each(guards_removed),
        "canonical_dropped": each(canonical_dropped),
        "beginning_checked": each(instead('{name}.startswith("..")')),
        "absolute_checked": each(instead('{name}.startswith("/")')),
        "dots_checked": each(instead('".." in {name}')),
        "dots_stripped": each(dots_stripped),
        "parent_suffices": each(weaken_guards(parent_suffices, TOPIC, alone=True)),
        "anywhere_inside": each(weaken_guards(anywhere_inside, INSIDE, alone=True)),
        "sibling_passes": each(weaken_guards(sibling_passes, TOPIC, alone=True)),
        "condition_dropped": each(weaken_guards(rules.condition_dropped, TOPIC)),
        "end_unanchored": each(only_pattern(end_unanchored)),
        "line_matched": each(only_pattern(line_matched)),
        "class_widened": each(only_pattern(class_widened)),
        "safe_join_dropped": each(safe_join_dropped),
        "checked_late": each(checked_late(INSIDE, OPENING)),
        "sent_by_hand": each(sent_by_hand("name")),
        "sent_if_plain": each(sent_by_hand("name.replace('../', '', 1)")),
        "sent_if_relative": each(sent_by_hand("name", 'name.startswith("..") or ')),
    },
    alternatives={"other_words": each(other_words), "named_test": each(named_test)},
    witnesses=("outside", "event:file.opened", "granted"),
    attacks=dict.fromkeys(
        ("path", "filename", "name", "text", "url", "id", "user", "config", "key", "html"),
        TRAVERSALS,
    ),
    watched={"fs": ("last_path", "base_dir")},
    paper=Paper(
        terms=(
            *("traversal", r"\.\./", r"\.\.\\\\", "path", "base_dir", "realpath", "abspath"),
            *("normalize", "directory", "file.*access", "startswith", "parent", "escape.*dir"),
        ),
        payloads=(
            *("../", "..\\", "/etc/passwd", "/etc/shadow", "..%2f", "%2e%2e/", "....//"),
            "/proc/self",
        ),
        watched={"fs": ("last_path", "base_dir")},
    ),
    examples=(*EXAMPLES, SENT),
)
