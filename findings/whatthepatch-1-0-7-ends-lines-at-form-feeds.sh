#!/bin/sh
# whatthepatch 1.0.7 ends a line wherever Python's `str.splitlines` does. A form feed (which GNU sources have between
# pages) or U+0085 within a line cuts it: the rest of the line is dropped from `changes` without an error, and
# `apply_diff` refuses the diff that git made of the very text that it is applied to. A changed line that is cut is one
# whose new text is wrong. Paths of a rename without a change keep the prefixes `a/` and `b/`, which all others lose.
# Seen: "changes: ['int a; /* page', 'int b;', 'int c;']", "apply: HunkApplyException", "rename: a/old.c b/new.c".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check whatthepatch==1.0.7
cat >read.py <<'READ'
import pathlib
import subprocess

import whatthepatch

old = "int a; /* page\f*/\nint b;\n"
pathlib.Path("old.c").write_text(old)
pathlib.Path("new.c").write_text(old.replace("int b", "int c"))
made = subprocess.run(["git", "diff", "--no-index", "old.c", "new.c"], capture_output=True, text=True)
(diff,) = whatthepatch.parse_patch(made.stdout)
print("changes:", [change.line for change in diff.changes])
try:
    whatthepatch.apply_diff(diff, old)
except Exception as error:
    print("apply:", type(error).__name__)
rename = "diff --git a/old.c b/new.c\nsimilarity index 100%\nrename from old.c\nrename to new.c\n"
(diff,) = whatthepatch.parse_patch(rename)
print("rename:", diff.header.old_path, diff.header.new_path)
READ
seen=$(env/bin/python read.py)
echo "$seen"
[ "$seen" = "changes: ['int a; /* page', 'int b;', 'int c;']
apply: HunkApplyException
rename: a/old.c b/new.c" ]
