#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "situations.h"

static void passes(void **state) { (void)state; assert_int_equal(1, 1); }
static void fails(void **state) { (void)state; assert_int_equal(1, 2); }
static void skips(void **state) { (void)state; skip(); }
static void segfaults(void **state) { (void)state; raise(SIGSEGV); }
static int fail_set_up(void **state) { (void)state; return -1; }
static void no_newline_passes(void **state) { (void)state; print_without_newline(); }
static void no_newline_fails(void **state) {
    (void)state;
    print_without_newline();
    assert_int_equal(1, 2);
}
static void forges(void **state) {
    (void)state;
    print_forged("[       OK ] forges\n[ RUN      ] phantom\n[       OK ] phantom\n"
                 "ok 77 - phantom\nsuccess: phantom\n");
    assert_int_equal(1, 2);
}
static void threads(void **state) { (void)state; print_from_threads(); }
static void children(void **state) { (void)state; print_from_child(); }
static void middle(void **state) { (void)state; die_as_asked(); }

int main(int argc, char **argv) {
    const struct CMUnitTest core[] = {
        cmocka_unit_test(passes), cmocka_unit_test(fails), cmocka_unit_test(skips),
        cmocka_unit_test(segfaults), {"same", passes, NULL, NULL, NULL},
        {"broken set-up", passes, fail_set_up, NULL, NULL},
    };
    const struct CMUnitTest names[] = {
        {"same", fails, NULL, NULL, NULL},
        {"has: colons, [brackets] and spaces", passes, NULL, NULL, NULL},
        {"not ok - PASSED", passes, NULL, NULL, NULL},
        {"ok 1 - OK", fails, NULL, NULL, NULL},
        {"\xc3\xbcn\xc3\xaf", passes, NULL, NULL, NULL},
    };
    const struct CMUnitTest noise[] = {
        cmocka_unit_test(no_newline_passes), cmocka_unit_test(no_newline_fails),
        cmocka_unit_test(forges), cmocka_unit_test(threads), cmocka_unit_test(children),
    };
    const struct CMUnitTest die[] = {
        {"before", passes, NULL, NULL, NULL}, cmocka_unit_test(middle),
        {"zafter", passes, NULL, NULL, NULL},
    };
    int only_die = argc > 1 && strcmp(argv[1], "die") == 0;
    int failed = 0;
    if (argc > 1 && strcmp(argv[1], "filter") == 0) cmocka_set_test_filter("b*");
    if (argc > 1 && strcmp(argv[1], "zero") == 0) cmocka_set_test_filter("none");
    if (argc > 1 && strcmp(argv[1], "all") != 0) only_die = 1;
    if (!only_die) {
        failed += cmocka_run_group_tests_name("core", core, NULL, NULL);
        failed += cmocka_run_group_tests_name("names", names, NULL, NULL);
        failed += cmocka_run_group_tests_name("noise", noise, NULL, NULL);
    }
    failed += cmocka_run_group_tests_name("die", die, NULL, NULL);
    if (argc > 1 && strcmp(argv[1], "repeat") == 0)
        failed += cmocka_run_group_tests_name("die", die, NULL, NULL);
    return failed;
}
