#!/bin/sh
# Meson 1.12.1 counts a TAP program as an error if it stops before its plan is done, bails out, or ends with a status
# other than 0 after all its points were "ok". In `meson-logs/testlog.junit.xml` none of that is an element or a count:
# each such program is a suite of passed cases with failures="0" errors="0". A status has a line in <system-err>, the
# other two only what the program printed. The totals of <testsuites> say 0 too.
# `testlog.json` beside it has the true result of each program.
# Seen: "console: 3 errors", "junit: 4 cases, 0 failures, 0 errors", "json: ERROR ERROR ERROR".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check meson==1.12.1 ninja==1.13.0
cat >meson.build <<'MESON'
project('example')
sh = find_program('sh')
test('short', sh, args: ['-c', 'echo 1..3; echo ok 1 - one; echo ok 2 - two'], protocol: 'tap')
test('bail', sh, args: ['-c', 'echo 1..3; echo ok 1 - one; echo Bail out! no space'], protocol: 'tap')
test('status', sh, args: ['-c', 'echo 1..1; echo ok 1 - one; exit 3'], protocol: 'tap')
MESON
PATH="$folder/env/bin:$PATH"
export PATH
meson setup build >/dev/null
meson test -C build >console.txt 2>&1 || true
cat >read.py <<'READ'
import json
import re
import xml.etree.ElementTree as tree

console = open("console.txt").read()
print(f"console: {len(re.findall(r'^ *[0-9]+/3 .* ERROR ', console, re.MULTILINE))} errors")
root = tree.parse("build/meson-logs/testlog.junit.xml").getroot()
marked = {tag: len(root.findall(f".//testcase/{tag}")) for tag in ("failure", "error")}
assert (int(root.get("failures")), int(root.get("errors"))) == (marked["failure"], marked["error"])
cases = len(root.findall(".//testcase"))
print(f"junit: {cases} cases, {marked['failure']} failures, {marked['error']} errors")
lines = open("build/meson-logs/testlog.json").read().splitlines()
print("json:", *(json.loads(line)["result"] for line in lines))
READ
seen=$(python3 read.py)
echo "$seen"
[ "$seen" = "console: 3 errors
junit: 4 cases, 0 failures, 0 errors
json: ERROR ERROR ERROR" ]
