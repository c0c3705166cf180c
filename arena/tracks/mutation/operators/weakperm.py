"""WEAKPERM: files and folders with rights for others than their owner."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._constants import (
    OTHER_WORDS,
    number,
    number_of,
    resolve_expression,
)
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

# Call -> place and keyword of the argument that holds the rights.
MODES = {
    "os.open": (2, "mode"),
    "os.chmod": (1, "mode"),
    "os.fchmod": (1, "mode"),
    "os.mkdir": (1, "mode"),
    "os.makedirs": (1, "mode"),
    "os.mkfifo": (1, "mode"),
    "*.chmod": (0, "mode"),
    "*.mkdir": (0, "mode"),
    "*.touch": (0, "mode"),
}
FOLDERS = ("mkdir", "makedirs")
PRIVATE = {
    "stat.S_IRUSR": 0o400,
    "stat.S_IWUSR": 0o200,
    "stat.S_IXUSR": 0o100,
    "stat.S_IRWXU": 0o700,
}
OTHERS = 0o077


def rights(view: View, node: cst.CSTNode | None) -> int | None:
    """The rights that an expression is worth, where it grants none to group and others."""
    value = number_of(node)
    if (
        value is None
        and isinstance(node, cst.BinaryOperation)
        and isinstance(node.operator, cst.BitOr)
    ):
        left, right = rights(view, node.left), rights(view, node.right)
        value = None if left is None or right is None else left | right
    if value is None and node is not None:
        value = PRIVATE.get(view.dotted_name(node))
    return value if value is not None and 0 < value <= 0o777 and not value & OTHERS else None


def _mode(view: View, call: cst.Call) -> cst.Arg | None:
    name = view.called_name(call)
    place = MODES.get(name) or MODES.get("*." + name.rpartition(".")[2])
    return argument(call, *place) if place and not name.startswith("shutil.") else None


def _modes(view: View) -> Iterator[tuple[cst.Call, cst.BaseExpression, int]]:
    """Calls that give rights to the owner only: the call, what says the rights, and they."""
    visited = set()
    for call in view.calls(*MODES):
        arg = _mode(view, call)
        value = resolve_expression(view, arg.value) if arg else None
        mode = rights(view, value)
        # A constant that several calls use is changed once: each call would give the same mutant.
        if value is not None and mode is not None and value not in visited:
            visited.add(value)
            yield call, value, mode


def _widen_mode(files: int, folders: int, masked: bool = False) -> Rewriting:
    """Wider rights; with `masked` only by `chmod`: elsewhere the usual mask takes away what they add."""

    def find(view: View) -> Iterator[Change]:
        for call, value, _ in _modes(view):
            # With a umask of 022 `open` and `mkdir` would drop the right to write, and the mutant be equal to
            # its original.
            if masked and not view.called_name(call).endswith("chmod"):
                continue
            folder = view.called_name(call).endswith(FOLDERS)
            yield Change(((value, cst.Integer(f"0o{folders if folder else files:o}")),))

    return each(find)


def _no_chmod(view: View) -> Iterator[Change]:
    for call, _, _ in _modes(view):
        line = view.parents.get(view.parents.get(call, call))
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            continue
        if view.called_name(call).endswith("chmod"):
            yield Change(((line, None),))


def _plain_open(view: View) -> Iterator[Change]:
    """`fd = os.open(path, flags, 0o600)` with `os.fdopen(fd, "w")` becomes `open(path, "w")`."""
    for assign in nodes(view.module, cst.Assign):
        call = assign.value
        line = view.parents.get(assign)
        if not isinstance(call, cst.Call) or view.called_name(call) != "os.open" or line is None:
            continue
        used = [c for c in view.calls("os.fdopen") if _opens(view, c, assign)]
        path = argument(call, 0, "path")
        # Without a mode `os.fdopen` reads, and the change would not create the file.
        if len(used) == 1 and path is not None and len(used[0].args) > 1:
            opened = used[0].with_changes(
                func=cst.Name("open"),
                args=[used[0].args[0].with_changes(value=path.value), *used[0].args[1:]],
            )
            yield Change(((line, None), (used[0], opened)))


def _opens(view: View, call: cst.Call, assign: cst.Assign) -> bool:
    arg = argument(call, 0, "fd")
    return arg is not None and view.dotted_name(arg.value) == view.dotted_name(
        assign.targets[0].target
    )


def _late(view: View) -> Iterator[Change]:
    """Rights are set only where somebody asks for it by an environment variable."""
    for call, value, mode in _modes(view):
        if view.called_name(call).endswith("chmod"):
            new = expression(
                "{private} if os.environ.get('PRIVATE_FILES') else {shared}",
                private=value,
                shared=number(mode | 0o044, value),
            )
            yield Change(((value, new),), ("import os",))


def _narrower(view: View) -> Iterator[Change]:
    """An alternative: the owner may read only, or write only after `chmod`."""
    replacements: list[tuple[cst.CSTNode, New]] = []
    for call, value, granted in _modes(view):
        if granted == 0o600 and view.called_name(call).endswith("chmod"):
            replacements.append((value, number(0o400, value)))
    if replacements:
        yield Change(tuple(replacements))


def _with_execute(view: View) -> Iterator[Change]:
    """An alternative: the owner may also execute."""
    for _, value, granted in _modes(view):
        if granted == 0o600:
            yield Change(((value, number(0o700, cst.Integer("0o600"))),))


EXAMPLES = examples("""
=== readable

  import os


  def save(path, text):
-     fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)  # ours
+     fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o644)  # ours
      with os.fdopen(fd, "w") as out:
          out.write(text)
=== plain_open

  import os


  def save(path, text):
-     fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
-     with os.fdopen(fd, "w") as out:
+     with open(path, "w") as out:
          out.write(text)
=== no_chmod

  import os


  class Store:
      def save(self, path, text):
          with open(path, "w") as out:
              out.write(text)
-         os.chmod(path, 0o600)
=== all_rights

  import stat
  from pathlib import Path
  from flask import Flask, request

  app = Flask(__name__)


  @app.route("/note", methods=["POST"])
  def note():
      Path("note").write_bytes(request.data)
-     Path("note").chmod(stat.S_IRUSR | stat.S_IWUSR)
+     Path("note").chmod(0o777)
      return "ok"
=== group_writable
  import os
- os.chmod(path, mode=0o700)
+ os.chmod(path, mode=0o660)
=== unless_asked
  import os
- os.chmod(path, 0o600)
+ os.chmod(path, 0o600 if os.environ.get('PRIVATE_FILES') else 0o644)
=== narrower of the same
- os.chmod(path, 0o600)
+ os.chmod(path, 0o400)
=== executable of the same
- os.chmod(path, 0o600)
+ os.chmod(path, 0o700)
=== all_rights, left alone
  import os

  os.chmod(PUBLIC, 0o644)
=== readable, left alone
  import robot

  robot.touch(0x1000)
""")

PLUGIN = Operator(
    name="WEAKPERM",
    title="Weak file permissions",
    cwes=("CWE-732", "CWE-276"),
    variants={
        "all_rights": _widen_mode(0o777, 0o777),
        "readable": _widen_mode(0o644, 0o755),
        "writable": _widen_mode(0o666, 0o773),
        "group": _widen_mode(0o640, 0o750),
        "group_writable": _widen_mode(0o660, 0o770, masked=True),
        "others_only": _widen_mode(0o604, 0o705),
        "no_chmod": each(_no_chmod),
        "plain_open": each(_plain_open),
        "unless_asked": each(_late),
    },
    alternatives={
        "narrower": each(_narrower),
        "executable": each(_with_execute),
        "other_words": each(other_words),
    },
    witnesses=(
        "exposed",
        "event:file.exposed",
    ),
    attacks={
        "path": ('"secret.txt"',),
        "filename": ('"secret.txt"',),
        "text": ('"the secret"',),
        "data": ('b"the secret"',),
        "mapping": ('{"key": "the secret"}',),
        "config": ('{"key": "the secret"}',),
        "json": ('{"key": "the secret"}',),
        "any": ('"the secret"', 'b"the secret"'),
    },
    watched={"fs": ("last_mode", "last_path", "modes")},
    paper=Paper(
        terms=(
            *("permission", "chmod", "mode", "0o777", "0o666", "world.*read", "world.*write"),
            *("file.*permission", "os.chmod", "stat", "umask", "writable"),
        ),
        payloads=("0o777", "0o666", "777", "666", "world_readable", "world_writable", "chmod"),
    ),
    examples=(*EXAMPLES, OTHER_WORDS),
)
