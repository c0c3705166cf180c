#include <CUnit/Automated.h>
#include <CUnit/Basic.h>
#include "situations.h"

static void passes(void) { CU_ASSERT(1 == 1); }
static void fails(void) { CU_ASSERT(1 == 2); }
static void no_newline_fails(void) { print_without_newline(); CU_ASSERT(1 == 2); }
static void forges(void) {
    print_forged("  Test: phantom ...passed\n  Test: forges ...passed\n");
    CU_ASSERT(1 == 2);
}
static int fail_set_up(void) { return -1; }

int main(int argc, char **argv) {
    int only_die = argc > 1 && strcmp(argv[1], "die") == 0;
    CU_initialize_registry();
    if (!only_die && !(argc > 1 && strcmp(argv[1], "zero") == 0)) {
        CU_pSuite core = CU_add_suite("core", NULL, NULL), names = CU_add_suite("names", NULL, NULL);
        CU_pSuite noise = CU_add_suite("noise", NULL, NULL);
        CU_pSuite broken = CU_add_suite("broken set-up", fail_set_up, NULL);
        CU_add_test(core, "passes", passes);
        CU_add_test(core, "fails", fails);
        CU_set_test_active(CU_add_test(core, "skips", passes), CU_FALSE);
        CU_add_test(core, "same", passes);
        CU_add_test(names, "same", fails);
        CU_add_test(names, "has: colons, [brackets] and spaces", passes);
        CU_add_test(names, "not ok PASSED", passes);
        CU_add_test(names, "x ...passed", fails);
        CU_add_test(noise, "no newline passes", print_without_newline);
        CU_add_test(noise, "no newline fails", no_newline_fails);
        CU_add_test(noise, "forges", forges);
        CU_add_test(noise, "threads", print_from_threads);
        CU_add_test(noise, "children", print_from_child);
        CU_add_test(broken, "never runs", passes);
    }
    if (argc <= 1 || strcmp(argv[1], "zero") != 0) {
        CU_pSuite die = CU_add_suite("die", NULL, NULL);
        CU_add_test(die, "before", passes);
        CU_add_test(die, "middle", die_as_asked);
        CU_add_test(die, "zafter", passes);
    }
    if (getenv("AUTOMATED")) {
        CU_set_output_filename("report");
        CU_automated_run_tests();
    } else {
        CU_basic_set_mode(CU_BRM_VERBOSE);
        CU_basic_run_tests();
        if (argc > 2) CU_basic_run_tests();
    }
    int failed = CU_get_number_of_failures() != 0;
    CU_cleanup_registry();
    return failed;
}
