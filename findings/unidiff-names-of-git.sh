#!/bin/sh
# unidiff 1.0.1 does not read names as git writes them. A name with a tab, a quote or a letter beyond ASCII comes from
# git in quotes and with escapes: unidiff gives it back so, and no such file exists. Of a pure rename it splits the
# line `diff --git` at ` b/`, though `rename from` and `rename to` say the names: in a folder `a b` both are wrong.
# Seen: "caf\303\251.c" (with the quotes) for café.c, and "a/a b/d.c b/a -> b/e.c" for a b/d.c -> a b/e.c.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check unidiff==1.0.1
git init --quiet repository
cd repository
git config user.name n
git config user.email n@example.org
mkdir 'a b'
printf 'one\n' >café.c
printf 'two\n' >'a b/d.c'
git add .
git commit --quiet -m first
printf 'other\n' >café.c
git mv 'a b/d.c' 'a b/e.c'
git diff --cached -M HEAD >../renamed.diff
git diff >../changed.diff
cd ..
cat >read.py <<'READ'
from unidiff import PatchSet

(changed,) = PatchSet(open("changed.diff").read())
(renamed,) = PatchSet(open("renamed.diff").read())
print(changed.path)
print(renamed.source_file, "->", renamed.target_file)
READ
env/bin/python read.py >seen
cat seen
[ "$(cat seen)" = '"caf\303\251.c"
a/a b/d.c b/a -> b/e.c' ]
