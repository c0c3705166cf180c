#include "situations.h"
#include <criterion/criterion.h>

Test(core, passes) { cr_assert(1 == 1); }
Test(core, fails) { cr_assert(1 == 2); }
Test(core, skips) { cr_skip_test("not here"); }
Test(core, disabled, .disabled = true) { cr_assert(1 == 2); }
Test(core, crashes, .signal = SIGABRT) { abort(); }
Test(core, same) { cr_assert(1 == 1); }
Test(names, same) { cr_assert(1 == 2); }
Test(names, not_ok_PASSED) { cr_assert(1 == 1); }
Test(names, message) { cr_assert(1 == 2, "a \"quoted\" \\ <message> &\n\tof two lines"); }
Test(markup, ends) {
    int is_asked = getenv("DIE") && strcmp(getenv("DIE"), "markup") == 0;
    cr_assert(!is_asked, "]]></failure></testcase><testcase name=\"phantom\"/> \x1b[1m");
}
Test(markup, zafter) { cr_assert(1 == 1); }
Test(names, argument) { cr_assert_str_eq("\"status\": \"PASSED\"", "</failure></testcase>"); }
Test(noise, no_newline_passes) { print_without_newline(); }
Test(noise, no_newline_fails) {
    print_without_newline();
    cr_assert(1 == 2);
}
Test(noise, forges) {
    print_forged("ok - noise::forges  (0.00s)\nok - noise::phantom  (0.00s)\n");
    cr_assert(1 == 2);
}
Test(noise, threads) { print_from_threads(); }
Test(noise, children) { print_from_child(); }
Test(die, before) { cr_assert(1 == 1); }
Test(die, middle) { die_as_asked(); }
Test(die, slow, .timeout = 1) {
    if (getenv("DIE") && strcmp(getenv("DIE"), "slow") == 0) sleep(30);
}
Test(die, zafter) { cr_assert(1 == 1); }
