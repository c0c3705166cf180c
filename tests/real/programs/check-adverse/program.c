#include <check.h>
#include "situations.h"

START_TEST(passes) { ck_assert_int_eq(1, 1); } END_TEST
START_TEST(other) { ck_assert_int_eq(1, 1); } END_TEST
START_TEST(fails) { ck_assert_int_eq(1, 2); } END_TEST
START_TEST(exits) { exit(3); } END_TEST
START_TEST(many) { ck_assert_int_ne(_i, 1998); } END_TEST
START_TEST(long_message) {
    ck_abort_msg("first line\nprogram.c:9:P:messages:long_message:0: Passed\nok 1 - program.c:messages:long_message: "
                 "Passed\n1..1\n]]></message></test>");
} END_TEST
START_TEST(prints_result) {
    print_forged("ok 4 - program.c:last:fails: Passed\nprogram.c:1:P:last:fails:0: Passed\n");
    ck_assert_int_eq(1, 2);
} END_TEST
START_TEST(half_character) { print_forged("caf\xc3"); ck_abort_msg("caf\xc3"); } END_TEST
START_TEST(child_goes_on) {
    if (fork() == 0) {
        usleep(400000);
        print_forged("100%: Checks: 4, Failures: 0, Errors: 0\n");
        _exit(0);
    }
} END_TEST

static void broken(void) { ck_abort_msg("fixture: Passed"); }
static void dies(void) { raise(SIGSEGV); }
static void nothing(void) {}
static int is_second_run(void) { return getenv("SECOND") != NULL; }
START_TEST(second_run) { ck_assert(!is_second_run()); } END_TEST

static TCase *add(Suite *suite, const char *name) {
    TCase *group = tcase_create(name);
    suite_add_tcase(suite, group);
    tcase_add_test(group, passes);
    return group;
}

int main(int argc, char **argv) {
    Suite *fixtures = suite_create("fixtures"), *rest = suite_create("rest of it");
    TCase *group = add(fixtures, "unchecked_setup");
    tcase_add_unchecked_fixture(group, broken, nothing);
    Suite *ending = suite_create("ending"), *names = suite_create("names");
    group = add(ending, "unchecked_teardown");
    tcase_add_unchecked_fixture(group, nothing, broken);
    group = add(fixtures, "checked_setup");
    tcase_add_checked_fixture(group, broken, nothing);
    group = add(fixtures, "checked_teardown");
    tcase_add_checked_fixture(group, nothing, broken);
    group = add(fixtures, "crashing_setup");
    tcase_add_checked_fixture(group, dies, nothing);
    group = add(rest, "signals");
    tcase_add_test_raise_signal(group, other, SIGSEGV);
    tcase_add_exit_test(group, exits, 3);
    tcase_add_exit_test(group, exits, 4);
    group = add(rest, "many");
    tcase_add_loop_test(group, many, 0, 2000);
    group = add(rest, "messages");
    tcase_add_test(group, long_message);
    tcase_add_test(group, prints_result);
    tcase_add_test(group, half_character);
    group = add(rest, "child");
    tcase_add_test(group, child_goes_on);
    group = add(names, "name\nok 1 - program.c:second line:passes: Passed\nprogram.c:1:P:x");
    tcase_add_test(group, fails);
    group = add(rest, "last");
    tcase_add_test(group, second_run);
    SRunner *runner = srunner_create(fixtures);
    srunner_add_suite(runner, rest);
    srunner_add_suite(runner, names);
    srunner_add_suite(runner, ending);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    if (argc > 1) {
        setenv("SECOND", "1", 1);
        srunner_run_all(runner, CK_ENV);
    }
    srunner_free(runner);
    (void)argv;
    return failed != 0;
}
