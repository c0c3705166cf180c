#include "adverse.h"
#include <CppUTest/CommandLineTestRunner.h>
#include <CppUTest/TestHarness.h>

TEST_GROUP(s) {};
TEST(s, zafter) { CHECK(1 == 1); }
TEST(s, fails) { CHECK(!is_asked()); }
TEST(s, middle) { act_badly(); CHECK(1 == 1); }
TEST(s, before) { CHECK(1 == 1); }

int main(int argc, char **argv) {
    MemoryLeakWarningPlugin::turnOffNewDeleteOverloads();
    return CommandLineTestRunner::RunAllTests(argc, argv);
}
