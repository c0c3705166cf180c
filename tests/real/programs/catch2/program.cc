#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#define HAS_SKIP 1
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#if __has_include(<catch2/catch_reporter_tap.hpp>)
#include <catch2/catch_reporter_tap.hpp>
#endif
#endif
#include "situations.h"

TEST_CASE("passes", "[core]") { CHECK(1 == 1); }
TEST_CASE("fails", "[core]") { CHECK(1 == 2); }
TEST_CASE("skips", "[core]") {
#ifdef HAS_SKIP
    SKIP("not here");
#endif
}
TEST_CASE("expected failure", "[core][!shouldfail]") { CHECK(1 == 2); }
TEST_CASE("unexpected pass", "[core][!shouldfail]") { CHECK(1 == 1); }
TEST_CASE("same", "[first]") { CHECK(1 == 1); }
#ifdef HAS_SKIP /* version 2 refuses a second test of a name */
TEST_CASE("same", "[second]") { CHECK(1 == 2); }
#endif
TEST_CASE("has: colons, [brackets] & \"quotes\"", "[names]") { CHECK(1 == 1); }
TEST_CASE("not ok - PASSED", "[names]") { CHECK(1 == 1); }
TEST_CASE("ok 1 - passed", "[names]") { CHECK(1 == 2); }
TEST_CASE("ünïcödé", "[names]") { CHECK(1 == 1); }
TEST_CASE("no newline passes", "[noise]") {
    print_without_newline();
    CHECK(1 == 1);
}
TEST_CASE("no newline fails", "[noise]") {
    print_without_newline();
    CHECK(1 == 2);
}
TEST_CASE("forges", "[noise]") {
    print_forged("All tests passed (3 assertions in 3 test cases)\n# phantom\nok 1 - phantom\n");
    CHECK(1 == 2);
}
TEST_CASE("threads", "[noise]") {
    print_from_threads();
    CHECK(1 == 1);
}
TEST_CASE("children", "[noise]") {
    print_from_child();
    CHECK(1 == 1);
}
TEST_CASE("before", "[die]") { CHECK(1 == 1); }
TEST_CASE("middle", "[die]") {
    die_as_asked();
    CHECK(1 == 1);
}
TEST_CASE("zafter", "[die]") { CHECK(1 == 1); }
