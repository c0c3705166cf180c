#!/bin/sh
# CTest 4.4.5 writes `<skipped>` into its JUnit file for tests that it counts as failed itself: one whose program was
# never built, one whose fixture failed, one whose required file is missing. And a test that is switched off (DISABLED)
# has no child element at all, as one that passed has; only its attribute `status` differs, which JUnit does not have.
# So a reader of the elements counts 1 failed, 4 skipped and 2 passed, where CTest has 4 failed, 2 that did not run and
# 1 passed.
# Expected: a failure or an error for each test that CTest's own summary lists under "The following tests FAILED".
# Seen: "4 tests failed out of 6", "failed: setup", "skipped: gone needs file away", "bare: passes off".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check cmake==4.4.5
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(example NONE)
enable_testing()
add_test(NAME passes COMMAND sh -c "exit 0")
add_test(NAME gone COMMAND ${CMAKE_BINARY_DIR}/never-built)
add_test(NAME setup COMMAND sh -c "exit 1")
set_tests_properties(setup PROPERTIES FIXTURES_SETUP database)
add_test(NAME needs COMMAND sh -c "exit 0")
set_tests_properties(needs PROPERTIES FIXTURES_REQUIRED database)
add_test(NAME file COMMAND sh -c "exit 0")
set_tests_properties(file PROPERTIES REQUIRED_FILES "${CMAKE_BINARY_DIR}/input.txt")
add_test(NAME away COMMAND sh -c "exit 77")
set_tests_properties(away PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME off COMMAND sh -c "exit 0")
set_tests_properties(off PROPERTIES DISABLED ON)
CMAKE
env/bin/cmake -S . -B build >/dev/null
(cd build && ../env/bin/ctest --output-junit tests.xml >../console.txt 2>/dev/null) || true
grep -o "[0-9]* tests failed out of [0-9]*" console.txt >seen.txt
cat >read.py <<'READ'
import xml.etree.ElementTree as tree

words = {"failure": "failed", "skipped": "skipped", None: "bare"}
names = {}
for case in tree.parse("build/tests.xml").iter("testcase"):
    children = [child.tag for child in case if child.tag in words]
    names.setdefault(words[children[0] if children else None], []).append(case.get("name"))
for word in ("failed", "skipped", "bare"):
    print(f"{word}:", *names[word])
READ
python3 read.py >>seen.txt
cat seen.txt
[ "$(cat seen.txt)" = "4 tests failed out of 6
failed: setup
skipped: gone needs file away
bare: passes off" ]
