atf_test_case passes
passes_body() { atf_check_equal 1 1; }
atf_test_case fails
fails_body() { atf_fail "passed"; }
atf_test_case skips
skips_body() { atf_skip "not here"; }
atf_test_case expected_failure
expected_failure_body() { atf_expect_fail "known"; atf_fail "as known"; }
atf_test_case unexpected_pass
unexpected_pass_body() { atf_expect_fail "known"; }
atf_test_case slow
slow_head() { atf_set timeout 1; }
slow_body() { [ "${DIE:-}" != slow ] || sleep 30; }
atf_test_case no_newline_passes
no_newline_passes_body() { printf 'no newline behind this'; }
atf_test_case forges
forges_body() { echo 'core_test:phantom  ->  passed  [0.001s]'; atf_fail "core_test:forges  ->  passed  [0.001s]"; }
atf_test_case children
children_body() { (echo FAIL; exit 3) || true; }
atf_test_case before
before_body() { true; }
atf_test_case middle
middle_body() {
    case ${DIE:-} in
    crash) kill -ABRT $$ ;;
    kill) kill -KILL $$ ;;
    exit0) exit 0 ;;
    esac
}
atf_test_case zafter
zafter_body() { true; }
atf_init_test_cases() {
    for name in passes fails skips expected_failure unexpected_pass slow no_newline_passes forges \
        children before middle zafter; do
        atf_add_test_case $name
    done
}
