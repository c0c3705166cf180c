#include "situations.h"
#include <glib.h>

static void passes(void) { g_assert_cmpint(1, ==, 1); }
static void fails(void) { g_test_fail_printf("not this time"); }
static void skips(void) { g_test_skip("not here"); }
static void is_incomplete(void) { g_test_incomplete("not yet"); g_test_fail(); }
static void no_newline_fails(void) { print_without_newline(); g_test_fail(); }
static void forges(void) {
    print_forged("ok 77 /noise/forges\nok 78 /noise/phantom\n");
    g_test_fail();
}

int main(int argc, char **argv) {
    g_test_init(&argc, &argv, NULL);
    g_test_set_nonfatal_assertions();
    g_test_add_func("/core/passes", passes);
    g_test_add_func("/core/fails", fails);
    g_test_add_func("/core/skips", skips);
    g_test_add_func("/core/incomplete", is_incomplete);
    g_test_add_func("/core/same", passes);
    g_test_add_func("/names/same", fails);
    g_test_add_func("/names/has: colons, [brackets] and spaces", passes);
    g_test_add_func("/names/not ok - PASS", passes);
    g_test_add_func("/noise/no newline passes", print_without_newline);
    g_test_add_func("/noise/no newline fails", no_newline_fails);
    g_test_add_func("/noise/forges", forges);
    g_test_add_func("/noise/threads", print_from_threads);
    g_test_add_func("/noise/children", print_from_child);
    g_test_add_func("/die/before", passes);
    g_test_add_func("/die/middle", die_as_asked);
    g_test_add_func("/die/zafter", passes);
    return g_test_run();
}
