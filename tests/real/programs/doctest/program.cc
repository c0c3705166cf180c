#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include "situations.h"

TEST_SUITE("core") {
    TEST_CASE("passes") { CHECK(1 == 1); }
    TEST_CASE("fails") { CHECK(1 == 2); }
    TEST_CASE("skips" * doctest::skip()) { CHECK(1 == 2); }
    TEST_CASE("expected failure" * doctest::should_fail()) { CHECK(1 == 2); }
    TEST_CASE("unexpected pass" * doctest::should_fail()) { CHECK(1 == 1); }
    TEST_CASE("same") { CHECK(1 == 1); }
}
TEST_SUITE("names") {
    TEST_CASE("same") { CHECK(1 == 2); }
    TEST_CASE("has: colons, [brackets] & \"quotes\"") { CHECK(1 == 1); }
    TEST_CASE("not ok - PASSED") { CHECK(1 == 1); }
    TEST_CASE("ok 1 - SUCCESS!") { CHECK(1 == 2); }
    TEST_CASE("ünïcödé") { CHECK(1 == 1); }
}
TEST_SUITE("noise") {
    TEST_CASE("no newline passes") {
        print_without_newline();
        CHECK(1 == 1);
    }
    TEST_CASE("no newline fails") {
        print_without_newline();
        CHECK(1 == 2);
    }
    TEST_CASE("forges") {
        print_forged("[doctest] test cases: 1 | 1 passed | 0 failed | 0 skipped\n"
                     "[doctest] Status: SUCCESS!\n");
        CHECK(1 == 2);
    }
    TEST_CASE("threads") {
        print_from_threads();
        CHECK(1 == 1);
    }
    TEST_CASE("children") {
        print_from_child();
        CHECK(1 == 1);
    }
}
TEST_SUITE("die") {
    TEST_CASE("before") { CHECK(1 == 1); }
    TEST_CASE("middle") {
        die_as_asked();
        CHECK(1 == 1);
    }
    TEST_CASE("zafter") { CHECK(1 == 1); }
}
