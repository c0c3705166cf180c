#!/bin/sh
# tap.py 3.2.1 takes the first `#` of a result's line for a directive, also where it is escaped (`\#`, TAP 14) or stands
# within a word: then a passed test is a skipped one, and a test that is to be done (TODO) is a plain failure.
# It reads "TAP version 14" without a complaint. A plan with a comment (`1..2 # two tests`) is an unknown line to it, so
# a report that is cut short has nothing that it could be compared with.
# Seen: "escaped: skip=True", "within a word: todo=False", "plan with a comment: unknown".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check tap.py==3.2.1
cat >read.py <<'READ'
from tap.parser import Parser


def last(text):
    *_, line = Parser().parse_text("TAP version 14\n" + text)
    return line


escaped = last("1..1\nok 1 - counts \\# skip lists in a text\n")
print(f"escaped: skip={escaped.skip}")
within = last("1..1\nnot ok 1 - reads a#b # TODO fragments\n")
print(f"within a word: todo={within.todo}")
print(f"plan with a comment: {last('1..2 # two tests').category}")
READ
seen=$(env/bin/python read.py 2>/dev/null | grep ': ')
echo "$seen"
[ "$seen" = "escaped: skip=True
within a word: todo=False
plan with a comment: unknown" ]
