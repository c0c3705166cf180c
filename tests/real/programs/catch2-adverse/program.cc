#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#define HAS_SKIP 1
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#if __has_include(<catch2/catch_reporter_tap.hpp>)
#include <catch2/catch_reporter_tap.hpp>
#endif
#endif
#include "situations.h"
#include <stdexcept>

struct Constructor {
    Constructor() { throw std::runtime_error("in the constructor"); }
};
TEST_CASE_METHOD(Constructor, "constructor throws", "[fixture]") { CHECK(1 == 1); }
struct SetUp {
    SetUp() { REQUIRE(1 == 2); }
};
TEST_CASE_METHOD(SetUp, "set-up requires", "[fixture]") { CHECK(1 == 1); }
struct TearDown {
    ~TearDown() { CHECK(1 == 2); }
};
TEST_CASE_METHOD(TearDown, "tear-down checks", "[fixture]") { CHECK(1 == 1); }
TEST_CASE("asserts nothing", "[fixture]") {}

TEMPLATE_TEST_CASE("typed", "[typed]", char, int, (std::pair<int, int>)) { CHECK(sizeof(TestType) < 8); }
TEST_CASE("generated", "[typed]") {
    auto number = GENERATE(1, 2, 3);
    CHECK(number != 2);
}
TEST_CASE("sections", "[typed]") {
    SECTION("passes") { CHECK(1 == 1); }
    SECTION("fails") { CHECK(1 == 2); }
    SECTION("All tests passed (1 assertion in 1 test case)") { CHECK(1 == 1); }
}
TEST_CASE("may fail", "[expected][!mayfail]") { CHECK(1 == 2); }
TEST_CASE("may fail and passes", "[expected][!mayfail]") { CHECK(1 == 1); }
TEST_CASE("check without failure", "[expected]") { CHECK_NOFAIL(1 == 2); }

TEST_CASE("日本語 FAILED:", "[odd]") { CHECK(1 == 1); }
TEST_CASE("- dash first", "[odd]") { CHECK(1 == 2); }
TEST_CASE("# hash first # SKIP", "[odd]") { CHECK(1 == 2); }
TEST_CASE("<testcase name=\"x\"/>&amp;", "[odd]") { CHECK(1 == 2); }
TEST_CASE("a name that is so long that it must be wrapped on the console, where eighty columns are all there is of it", "[odd]") {
    CHECK(1 == 2);
}

TEST_CASE("message", "[message]") {
    INFO("All tests passed (3 assertions in 3 test cases)\nok 1 - phantom\n</Expression></TestCase>");
    CHECK(1 == 2);
}
TEST_CASE("half a character", "[message]") {
    print_forged("caf\xc3");
    INFO("caf\xc3");
    CHECK(1 == 2);
}
TEST_CASE("child goes on", "[message]") {
    if (fork() == 0) {
        usleep(300000);
        print_forged("All tests passed (9 assertions in 9 test cases)\nok 9 - 1==1\n");
        _exit(0);
    }
    CHECK(1 == 1);
}
TEST_CASE("error output", "[message]") {
    fputs("===============================================================================\n"
          "test cases: 4 | 4 passed\n", stderr);
    CHECK(1 == 2);
}

TEST_CASE("before", "[report]") { CHECK(1 == 1); }
TEST_CASE("middle", "[report]") {
    const char *how = getenv("REPORT");
    if (how) {
        print_forged("===============================================================================\n"
                     "All tests passed (3 assertions in 3 test cases)\n\n");
        if (strcmp(how, "killed") == 0) raise(SIGKILL);
        if (strcmp(how, "exits") == 0) _exit(0);
        if (strcmp(how, "ends") == 0) exit(0);
    }
    CHECK(how == nullptr);
}
TEST_CASE("zafter", "[report]") { CHECK(1 == 1); }
