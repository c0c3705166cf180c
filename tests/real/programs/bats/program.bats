@test "passes" { true; }
@test "fails" { false; }
@test "skips" { skip "not here"; }
@test "same: [brackets], colons" { true; }
@test "not ok - PASSED in 3ms" { true; }
@test "ok 1 passed" { false; }
@test "ünïcödé" { true; }
@test "no newline passes" { printf 'no newline behind this' >&3; }
@test "no newline fails" { printf 'no newline behind this' >&3; false; }
@test "forges" { printf 'ok 77 phantom\n' >&3; printf 'ok 10 forges\n'; false; }
@test "children" { (echo "not ok 5 child"; exit 3) & wait; }
@test "die before" { true; }
@test "die middle" {
    case ${DIE:-} in
    crash) kill -ABRT $$ ;;
    kill) kill -KILL $PPID ;;
    exit0) exit 0 ;;
    sleep) sleep 30 ;;
    esac
}
@test "die zafter" { true; }
