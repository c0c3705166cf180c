#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "adverse.h"

static void before(void **state) { (void)state; assert_int_equal(1, 1); }
static void middle(void **state) { (void)state; act_badly(); }
static void fails(void **state) { (void)state; assert_int_equal(is_asked(), 0); }
static void zafter(void **state) { (void)state; assert_int_equal(1, 1); }

int main(void) {
    const char *form = getenv("FORM");
    if (form && strcmp(form, "tap") == 0) cmocka_set_message_output(CM_OUTPUT_TAP);
    if (form && strcmp(form, "subunit") == 0) cmocka_set_message_output(CM_OUTPUT_SUBUNIT);
    if (form && strcmp(form, "xml") == 0) cmocka_set_message_output(CM_OUTPUT_XML);
    const struct CMUnitTest s[] = {
        cmocka_unit_test(before), cmocka_unit_test(middle), cmocka_unit_test(fails), cmocka_unit_test(zafter),
    };
    return cmocka_run_group_tests_name("s", s, NULL, NULL);
}
