#!/bin/sh
# junitparser 5.0.3 counts results and not tests: a test case with two `failure` elements, which Catch2 writes (one for
# each failed assertion) and most readers take for one failed test, makes `failures` 2 where `tests` is 1. A test that
# GoogleTest did not run (`status="notrun"`: disabled, no `skipped` element) is one that passed. And the sum of two
# reports is one suite of the same name whose time is the sum of its cases' times: what the suites said of their own
# time, which includes set-up, is gone.
# Seen: "tests 1, failures 2", "not run: passed=True", "time 2.0" of suites of 3.5 and 2.5 seconds.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check junitparser==5.0.3
cat >read.py <<'READ'
from junitparser import JUnitXml


def report(inside, time=""):
    return JUnitXml.fromstring(f'<testsuites><testsuite name="s"{time}>{inside}</testsuite></testsuites>')


twice = report('<testcase name="a"><failure message="1"/><failure message="2"/></testcase>')
twice.update_statistics()
print(f"tests {twice.tests}, failures {twice.failures}")
(suite,) = report('<testcase name="a" status="notrun" result="suppressed" time="0."/>')
(case,) = suite
print(f"not run: passed={case.is_passed}")
both = report('<testcase name="a" time="1"/>', ' time="3.5"') + report('<testcase name="b" time="1"/>', ' time="2.5"')
print(f"suites {len(list(both))}, time {both.time}")
READ
seen=$(env/bin/python read.py)
echo "$seen"
[ "$seen" = "tests 1, failures 2
not run: passed=True
suites 1, time 2.0" ]
