#include "adverse.h"
#include <CUnit/Automated.h>
#include <CUnit/Basic.h>

static void passes(void) { CU_ASSERT(1 == 1); }
static void fails_if_asked(void) { CU_ASSERT(!is_asked()); }

int main(void) {
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("s", NULL, NULL);
    CU_add_test(suite, "before", passes);
    CU_add_test(suite, "middle", act_badly);
    CU_add_test(suite, "fails", fails_if_asked);
    CU_add_test(suite, "zafter", passes);
    if (getenv("AUTOMATED")) {
        CU_set_output_filename("report");
        CU_automated_run_tests();
    } else {
        CU_basic_set_mode(CU_BRM_VERBOSE);
        CU_basic_run_tests();
    }
    int failed = CU_get_number_of_failures() != 0;
    CU_cleanup_registry();
    return failed;
}
