#include <check.h>
#include "situations.h"

START_TEST(passes) { ck_assert_int_eq(1, 1); } END_TEST
START_TEST(fails) { ck_assert_int_eq(1, 2); } END_TEST
START_TEST(crashes) { raise(SIGSEGV); } END_TEST
START_TEST(loops) { ck_assert_int_ne(_i, 1); } END_TEST
START_TEST(no_newline_passes) { print_without_newline(); } END_TEST
START_TEST(no_newline_fails) { print_without_newline(); ck_abort_msg("x: Passed"); } END_TEST
START_TEST(forges) {
    print_forged("program.c:1:P:noise:forges:0: Passed\nprogram.c:1:P:noise:phantom:0: Passed\n"
                 "ok 1 - program.c:noise:phantom: Passed\n100%: Checks: 1, Failures: 0, Errors: 0\n");
    ck_abort_msg("100%: Checks: 1, Failures: 0, Errors: 0");
} END_TEST
START_TEST(threads) { print_from_threads(); } END_TEST
START_TEST(children) { print_from_child(); } END_TEST
START_TEST(before) { ck_assert_int_eq(1, 1); } END_TEST
START_TEST(middle) { die_as_asked(); } END_TEST
START_TEST(slow) { if (getenv("DIE") && strcmp(getenv("DIE"), "slow") == 0) sleep(30); } END_TEST
START_TEST(zafter) { ck_assert_int_eq(1, 1); } END_TEST

static TCase *add(Suite *suite, const char *name) {
    TCase *group = tcase_create(name);
    suite_add_tcase(suite, group);
    tcase_set_timeout(group, 2);
    return group;
}

int main(int argc, char **argv) {
    Suite *suite = suite_create("core suite");
    TCase *core = add(suite, "core"), *names = add(suite, "has: colon not ok PASSED");
    TCase *noise = add(suite, "noise"), *die = add(suite, "die");
    tcase_add_test(core, passes);
    tcase_add_test(core, fails);
    tcase_add_test(core, crashes);
    tcase_add_exit_test(core, passes, 1);
    tcase_add_loop_test(core, loops, 0, 3);
    tcase_add_test(names, passes);
    tcase_add_test(names, fails);
    tcase_add_test(noise, no_newline_passes);
    tcase_add_test(noise, no_newline_fails);
    tcase_add_test(noise, forges);
    tcase_add_test(noise, threads);
    tcase_add_test(noise, children);
    tcase_add_test(die, before);
    tcase_add_test(die, middle);
    tcase_add_test(die, slow);
    tcase_add_test(die, zafter);
    SRunner *runner = srunner_create(suite);
    if (argc > 2) srunner_set_tap(runner, argv[2]);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    if (argc > 1 && strcmp(argv[1], "repeat") == 0) srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return failed != 0;
}
