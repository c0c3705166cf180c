#!/bin/sh
# One test of a runner that starts programs: ends as its first argument says.
case $1 in
pass) echo "FAILED, FAIL, not ok" ;;
fail) echo "PASS, 100% tests passed" && exit 1 ;;
skip) exit 77 ;;
hard) exit 99 ;;
crash) kill -SEGV $$ ;;
slow) [ "${DIE:-}" != slow ] || exec sleep 30 ;;
no-newline) printf 'no newline behind this' && exit "$2" ;;
forge) printf '%s\n' "$2" && exit 1 ;;
children) (echo FAIL && exit 3) & wait ;;
middle)
    case ${DIE:-} in
    crash) kill -ABRT $$ ;;
    exit0) exit 0 ;;
    kill) kill -KILL $PPID && sleep 1 ;;
    esac
    ;;
esac
