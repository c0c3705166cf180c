#include "adverse.h"
#include <glib.h>

static void passes(void) { g_assert_cmpint(1, ==, 1); }
static void fails_if_asked(void) { g_assert_cmpint(is_asked(), ==, 0); }

int main(int argc, char **argv) {
    g_test_init(&argc, &argv, NULL);
    g_test_set_nonfatal_assertions();
    g_test_add_func("/a/before", passes);
    g_test_add_func("/b/middle", act_badly);
    g_test_add_func("/c/fails", fails_if_asked);
    g_test_add_func("/d/zafter", passes);
    return g_test_run();
}
