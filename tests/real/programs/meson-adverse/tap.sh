#!/bin/sh
# A program that prints TAP, and ends, as its argument says.
case $1 in
todo) printf '1..3\nok 1 one # TODO\nnot ok 2 two # TODO\nok 3 three\n' ;;
skip-all) printf '1..0 # SKIP no device\n' ;;
skip-one) printf '1..2\nok 1 one # SKIP no\nok 2 two\n' ;;
bails) printf '1..2\nok 1 one\nBail out! no disk\n' ;;
short) printf '1..3\nok 1 one\nok 2 two\n' ;;
long) printf '1..1\nok 1 one\nok 2 two\n' ;;
no-plan) printf 'ok 1 one\nok 2 two\n' ;;
status) printf '1..1\nok 1 one\n' && exit 3 ;;
twice) printf '1..2\nok 1 one\nok 1 one\n' ;;
nothing) : ;;
subtests) printf 'TAP version 14\n1..1\n    # Subtest: inner\n    1..2\n    ok 1 a\n    not ok 2 b\nok 1 - inner\n' ;;
glued) printf '1..2\nok 1 one\nno newlinenot ok 2 two\n' ;;
late) printf '1..2\nok 1 one\nok 2 two\n' && sleep 20 ;;
noise) printf 'caf\303\n\033[32mok\033[0m\n1..1\nnot ok 1 - same # time=1ms\n' && echo 'ok 1 - same' >&2 ;;
second) printf '1..1\n' && if [ -e second-run ]; then echo not ok 1 one; else echo ok 1 one; : >second-run; fi ;;
esac
