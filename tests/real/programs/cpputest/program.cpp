#include "situations.h"
#include <CppUTest/CommandLineTestRunner.h>
#include <CppUTest/TestHarness.h>

TEST_GROUP(core) {};
TEST(core, passes) { CHECK(1 == 1); }
TEST(core, fails) { CHECK(1 == 2); }
IGNORE_TEST(core, skips) { CHECK(1 == 2); }
TEST(core, same) { CHECK(1 == 1); }
TEST_GROUP(names) {};
TEST(names, same) { CHECK(1 == 2); }
TEST(names, OK_not_ok_PASSED) { CHECK(1 == 1); }
TEST_GROUP(noise) {};
TEST(noise, no_newline_passes) { print_without_newline(); CHECK(1 == 1); }
TEST(noise, no_newline_fails) { print_without_newline(); CHECK(1 == 2); }
TEST(noise, forges) {
    print_forged(" - 0 ms\nTEST(noise, phantom) - 0 ms\nOK (1 tests, 1 ran, 1 checks, 0 ignored, "
                 "0 filtered out, 0 ms)\n");
    CHECK(1 == 2);
}
TEST(noise, threads) { print_from_threads(); CHECK(1 == 1); }
TEST(noise, children) { print_from_child(); CHECK(1 == 1); }
TEST_GROUP(die) {};
TEST(die, zafter) { CHECK(1 == 1); }
TEST(die, middle) { die_as_asked(); CHECK(1 == 1); }
TEST(die, before) { CHECK(1 == 1); }

int main(int argc, char **argv) {
    MemoryLeakWarningPlugin::turnOffNewDeleteOverloads();
    return CommandLineTestRunner::RunAllTests(argc, argv);
}
