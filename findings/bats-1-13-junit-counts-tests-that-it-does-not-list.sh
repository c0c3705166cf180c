#!/bin/sh
# The JUnit formatter of bats-core 1.13.0 folds what fails around tests into other tests, or drops it.
# A `teardown_file` that fails is a failure of the file's last test, which passed, and the suite states one test more than
# it lists. A `setup_file` that fails leaves a suite "file.bats" of 0 tests, and the failure in a second suite
# "setup_suite"; the file's tests are nowhere. A file with a fault of syntax is an empty <testsuites>, with no count at
# all. The TAP formatter of the same version has a plan, and a line of its own for each of the three.
# Seen: "teardown: tests=3 listed=2 failed=reads", "setup: tests=0+1", "syntax: suites=0", "tap: 1..2 not ok 3", all with
# exit status 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm pack --silent bats@1.13.0 >/dev/null
tar xzf bats-1.13.0.tgz
cat >teardown.bats <<'BATS'
@test "adds" { true; }
@test "reads" { true; }
teardown_file() { false; }
BATS
cat >setup.bats <<'BATS'
setup_file() { false; }
@test "adds" { true; }
@test "reads" { true; }
BATS
cat >syntax.bats <<'BATS'
@test "adds" { true; }
@test "reads" { if; }
BATS
for name in teardown setup syntax; do
    status=0
    package/bin/bats --formatter junit $name.bats >$name.xml 2>/dev/null || status=$?
    [ $status = 1 ]
done
package/bin/bats --formatter tap teardown.bats >teardown.tap 2>/dev/null || true
cat >read.py <<'READ'
import re
import xml.etree.ElementTree as tree


def suites(name):
    return tree.parse(f"{name}.xml").findall("testsuite")


[suite] = suites("teardown")
cases = suite.findall("testcase")
failed = [case.get("name") for case in cases if case.find("failure") is not None]
print(f"teardown: tests={suite.get('tests')} listed={len(cases)} failed={','.join(failed)}")
print("setup: tests=" + "+".join(suite.get("tests") for suite in suites("setup")))
print(f"syntax: suites={len(suites('syntax'))}")
print("tap:", *re.findall(r"^(?:1\.\.\d+|not ok \d+)", open("teardown.tap").read(), re.MULTILINE))
READ
seen=$(python3 read.py)
echo "$seen"
[ "$seen" = "teardown: tests=3 listed=2 failed=reads
setup: tests=0+1
syntax: suites=0
tap: 1..2 not ok 3" ]
