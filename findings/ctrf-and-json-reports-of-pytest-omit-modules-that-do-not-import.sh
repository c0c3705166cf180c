#!/bin/sh
# pytest 9.2.0 counts a module that cannot be imported as an error and ends with 2. Of the reports that add-ons write, the
# CTRF file (pytest-json-ctrf 0.6.1) has nothing of it: 0 tests, 0 failed. With pytest-xdist 3.8.0 the other modules do run,
# pytest ends with 1, and the file is that of a run in which everything passed. pytest-json-report 1.5.0 has the
# error among its `collectors`, but not in its `summary`, which has the keys `passed`, `total` and `collected` only.
# Both state no count that would tell how many modules were to be run.
# Seen: "alone: status=2 ctrf=0/0 summary=collected,total", "xdist: status=1 ctrf=2/0 summary=collected,passed,total".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check pytest==9.2.0 pytest-xdist==3.8.0 \
    pytest-json-ctrf==0.6.1 pytest-json-report==1.5.0 pytest-metadata==3.1.1
mkdir tests
printf 'def test_reads():\n    pass\n\n\ndef test_writes():\n    pass\n' >tests/test_files.py
printf 'import a_module_that_is_not_installed\n' >tests/test_other.py
cat >read.py <<'READ'
import json
import sys

name, status = sys.argv[1:]
counts = json.load(open(f"{name}-ctrf.json"))["results"]["summary"]
summary = json.load(open(f"{name}-report.json"))["summary"]
print(f"{name}: status={status} ctrf={counts['tests']}/{counts['failed']} summary={','.join(sorted(summary))}")
READ
run() {
    name=$1 status=0
    shift
    env/bin/python -m pytest -q -p no:cacheprovider "$@" --ctrf "$name-ctrf.json" \
        --json-report --json-report-file "$name-report.json" tests >/dev/null 2>&1 || status=$?
    python3 read.py "$name" "$status"
}
seen=$(run alone; run xdist -n 2)
echo "$seen"
[ "$seen" = "alone: status=2 ctrf=0/0 summary=collected,total
xdist: status=1 ctrf=2/0 summary=collected,passed,total" ]
