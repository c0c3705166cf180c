#!/bin/sh
# pytest-xdist 3.8.0 with pytest 9.2.0: `--dist loadgroup` no longer keeps tests marked with `xdist_group` together,
# and nothing says so. With pytest 9.0.3 the same twelve tests of one group run on one worker.
# xdist adds the group to the private `_nodeid` of a test; pytest 9.2.0 makes the id of a test from something else.
# Seen: "pytest 9.0.3: 1 worker" and "pytest 9.2.0: 2 workers".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir tests
cat >tests/test_grouped.py <<'TESTS'
import os

import pytest

pytestmark = pytest.mark.xdist_group("one")


@pytest.mark.parametrize("number", range(12))
def test_says_where_it_runs(number):
    with open("workers", "a") as told:
        told.write(os.environ["PYTEST_XDIST_WORKER"] + "\n")
TESTS

count_workers() {
    python3 -m venv "env-$1"
    "env-$1/bin/pip" install --quiet --disable-pip-version-check "pytest==$1" pytest-xdist==3.8.0
    rm -f workers
    "env-$1/bin/python" -m pytest -q -n2 --dist loadgroup tests >"log-$1"
    grep -q "12 passed" "log-$1"
    sort -u workers | wc -l
}

before=$(count_workers 9.0.3)
after=$(count_workers 9.2.0)
echo "pytest 9.0.3: $before worker"
echo "pytest 9.2.0: $after workers"
[ "$before" -eq 1 ] && [ "$after" -eq 2 ]
