#!/bin/sh
# pytest 9.1.0 and 9.1.1: a folder that the command line leaves and comes back to loses the fixtures of its
# conftest.py. `pytest a/inner test_other.py a/test_own.py` ends with "fixture 'own' not found", though the same
# files in another order pass, and though 9.0.3 and 9.2.0 pass both.
# Seen: "9.0.3: 3 passed", "9.1.1: 2 passed, 1 error", "9.2.0: 3 passed".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p a/inner
touch __init__.py a/__init__.py a/inner/__init__.py
printf 'import pytest\n\n\n@pytest.fixture\ndef own():\n    return 1\n' >a/conftest.py
printf 'def test_own(own):\n    assert own\n' >a/test_own.py
printf 'def test_inner(own):\n    assert own\n' >a/inner/test_inner.py
printf 'def test_other():\n    pass\n' >test_other.py

told() {
    version=$1
    shift
    [ -d "env-$version" ] || python3 -m venv "env-$version"
    "env-$version/bin/pip" install --quiet --disable-pip-version-check "pytest==$version"
    "env-$version/bin/python" -m pytest -q "$@" | tail -n 1 | sed 's/ in .*//'
}

for one in 9.0.3 9.1.1 9.2.0; do
    echo "$one: $(told "$one" a/inner test_other.py a/test_own.py)"
done >seen
cat seen
grep -qx "9.0.3: 3 passed" seen
grep -qx "9.1.1: 2 passed, 1 error" seen
grep -qx "9.2.0: 3 passed" seen
[ "$(told 9.1.1 a/inner a/test_own.py test_other.py)" = "3 passed" ]
