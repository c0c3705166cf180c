"""TAP of its many producers, and what it must parse to."""

from __future__ import annotations

from parsers.reports._plugin import Example

_ODD_DIRECTIVES = """\
TAP version 14
1..8
ok 1 - plain
not ok 2 - broken
  ---
  message: ok 9 - not a test
  ...
ok 3 - network # SKIP no network
not ok 4 - later # TODO not written
ok 5 - early # todo
ok 6 - issue \\#7 # not a directive
not ok 7 # SKIP t_skip
ok
"""
_SUBTESTS = """\
# Subtest: decode
    ok 1 - empty
    # Subtest: long
        1..1
        not ok 1 - limit
    not ok 2 - long
    1..2
not ok 1 - decode
    1..1
    ok 1 - empty
ok 2 - encode
1..2
"""
_CHECK = """\
ok 1 - src/a.c:limits:t_ok: Passed
not ok 2 - src/a.c:limits:t_msg: a: b: 100%: Checks: 1, Failures: 0, Errors: 0
x.c:1:P:core:t_bad:0: Passed
not ok 3 - src/a.c:limits:t_segv: Received signal 11 (Segmentation fault)
not ok 4 - src/a.c:limits:t_exit3: Early exit with return value 3
not ok 5 - src/a.c:limits:t_time: Test timeout expired
ok 6 - src/a.c:limits:t_loop: Passed
not ok 7 - src/a.c:limits:t_loop: Assertion '_i < 1' failed
ok 8 - src/a.c:a:b c:t_ok: Passed
1..8
"""
_CRITERION = """\
TAP version 13
1..6
# Criterion v2.4.1
#
# Running 6 tests from core
not ok - core::bad  (0.01s)
  ---
  assertions: 1
  failures:
  - ../p/crit/a.c:9: |+
      Assertion failed: The expression 0 is false.
  ...
not ok - core::slow timed out (0.32s)
ok - core::skip  # SKIP none
ok - core::ok  (0.01s)
not ok - core::segv unexpected signal after ../p/crit/a.c:11
ok - core::off  # SKIP test was skipped
"""
_BATS = """\
1..4
ok 1 one in 22ms
ok 2 two in 1sec
not ok 3 dup in 26ms
# (in test file b.bats, line 5)
not ok 4 slow in 1002ms # timeout after 1s
"""
_CMOCKA = """\
TAP version 14
1..4
ok 1 - t_ok
ok 2 - t_skip # SKIP
no newlineok 3 - t_noise
not ok 4 - t_segv
  ---
  message: 'Test failed with exception: Segmentation fault(11)'
  severity: fail
  ...
# not ok - first
1..1
ok 1 - t_ok
# ok - second
1..2
not ok 0 - third
  ---
  message: '[  FAILED  ] GROUP SETUP'
  severity: error
  ...
# ok - third
"""
_CATCH2 = """\
# rng-seed: 3122754448
# sections
ok 1 - true
# sections
not ok 2 - false
# skip section
ok 3 - true
# skip section
ok 4 -  # SKIP 'later'
# checks nofail
ok 5 - 1 == 2  # TODO
# checks nofail
ok 6 - true
no newline# prints
ok 7 - i < 3 for: 1 < 3
1..6

"""
_CATCH2_OF_2 = """\
# passes
ok 1 - 1 == 1
no newline# fails
not ok 2 - 1 == 2
1..2

"""
_NODE = """\
TAP version 13
# Subtest: top
ok 1 - top
  ---
  duration_ms: 0.5
  ...
# Subtest: suite
    # Subtest: one
    ok 1 - one
      ---
      duration_ms: 1
      ...
    # Subtest: inner
        # Subtest: one
        not ok 1 - one
          ---
          duration_ms: 1
          ...
        1..1
    not ok 2 - inner
    1..2
not ok 2 - suite
1..2
# tests 3
"""
_OTHERS = """\
1..6
ok 1         - test_setup                                312 ms
ok 2         + boolean                                    80 ms
not ok 3 selftests: net: foo # exit=1
ok 4 selftests: net: bar [PASS]
not ok 5 test/a.js # time=22.3ms
not ok 6 test/a.js # TIMEOUT 45 seconds
"""
EXAMPLES = (
    Example("1..2\nok 1 - a\nok 2 - b\n", {"a": "passed", "b": "passed"}, why="a normal run"),
    Example("ok 1 - a\nok\n1..2\n", {"a": "passed", "2": "passed"}, why="the plan comes last"),
    Example(
        "1..2\nok 1 - a\n# Expected 1\nnot ok 2 - b\n",
        {"a": "passed", "b": "failed"},
        status=1,
        why="a failure",
    ),
    Example(
        _ODD_DIRECTIVES,
        {
            "plain": "passed",
            "broken": "failed",
            "network": "skipped",
            "later": "xfailed",
            "early": "xpassed",
            "issue #7 # not a directive": "passed",
            "7": "skipped",
            "8": "passed",
        },
        status=1,
        why="directives, YAML, escapes; 7 as cmocka prints a skipped test",
    ),
    Example(
        _SUBTESTS,
        {
            "decode > empty": "passed",
            "decode > long > limit": "failed",
            "decode > long": "failed",
            "decode": "failed",
            "encode > empty": "passed",
            "encode": "passed",
        },
        status=1,
        why="subtests, with and without a comment that names them",
    ),
    Example("1..0 # SKIP no zlib\n", {}, why="the whole file is skipped"),
    Example(
        "1..3\nok 1 - a\nBail out! no disk\n",
        {"a": "passed", "Bail out!": "error"},
        False,
        status=1,
        why="the harness gives up: the nearest to a crash",
    ),
    Example("1..3\nok 1 - a\nok 2 - b", {"a": "passed"}, False, why="cut in a line"),
    Example("ok 1 - a\n", {"a": "passed"}, False, why="no plan"),
    Example(
        "1..2\nok 1 - a\nok 2 - b\nnot ok 2 - b\n",
        {"a": "passed", "b": "failed"},
        False,
        status=1,
        why="a forged line beside the real one",
    ),
    Example(
        _CHECK,
        {
            "limits:t_ok": "passed",
            "limits:t_msg": "failed",
            "limits:t_segv": "crashed",
            "limits:t_exit3": "crashed",
            "limits:t_time": "timeout",
            "limits:t_loop": "passed",
            "limits:t_loop [2]": "failed",
            "a:b c:t_ok": "passed",
        },
        status=1,
        why="Check 0.15.2: how a test ended stands behind its name",
    ),
    Example(
        _CRITERION,
        {
            "core::bad": "failed",
            "core::slow": "timeout",
            "core::skip": "skipped",
            "core::ok": "passed",
            "core::segv": "crashed",
            "core::off": "skipped",
        },
        status=1,
        why="Criterion 2.4.1: durations behind names",
    ),
    Example(
        _BATS,
        {"one": "passed", "two": "passed", "dup": "failed", "slow": "timeout"},
        status=1,
        why="bats 1.13.0 with --timing",
    ),
    Example(
        _CMOCKA,
        {
            "first > t_ok": "passed",
            "first > t_skip": "skipped",
            "first > t_noise": "passed",
            "first > t_segv": "failed",
            "second > t_ok": "passed",
            "third > third": "failed",
        },
        status=2,
        why="cmocka 2.0.2: groups, and a result behind a test's output",
    ),
    Example(
        _CATCH2,
        {
            "sections": "failed",
            "skip section": "skipped",
            "checks nofail": "passed",
            "prints": "passed",
        },
        status=1,
        why="Catch2 3.7.1: a line for each assertion, of which the plan counts no CHECK_NOFAIL",
    ),
    Example(
        _CATCH2_OF_2,
        {"passes": "passed", "fails": "failed"},
        status=1,
        why="Catch2 2.13.10: no line says that it is Catch2's",
    ),
    Example(
        _NODE,
        {
            "suite > inner > one": "failed",
            "suite > one": "passed",
            "suite > inner": "failed",
            "top": "passed",
            "suite": "failed",
        },
        status=1,
        why="node 20: a comment before each test, as if it had subtests",
    ),
    Example(
        _OTHERS,
        {
            "test_setup": "passed",
            "+ boolean": "passed",
            "selftests: net: foo": "failed",
            "selftests: net: bar": "passed",
            "test/a.js": "failed",
            "test/a.js [2]": "timeout",
        },
        status=1,
        why="what other harnesses add to names; the second test of a name",
    ),
    Example("", {}, False, why="empty"),
)
