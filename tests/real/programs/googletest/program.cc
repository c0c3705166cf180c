#include "situations.h"
#include <gtest/gtest.h>

TEST(Core, Passes) { EXPECT_TRUE(true); }
TEST(Core, Fails) { EXPECT_EQ(1, 2); }
TEST(Core, Skips) { GTEST_SKIP() << "not here"; }
TEST(Core, DISABLED_Later) { FAIL(); }
TEST(Other, Passes) { FAIL(); }

class Named : public testing::TestWithParam<int> {};
TEST_P(Named, IsOdd) { EXPECT_EQ(GetParam() % 2, 1); }
INSTANTIATE_TEST_SUITE_P(PASSED, Named, testing::Values(1, 2, 3));
TEST(FAILED, OK) { SUCCEED(); }
TEST(OK, FAILED) { FAIL() << "[       OK ] OK.FAILED (0 ms)"; }

TEST(Noise, NoNewlinePasses) { print_without_newline(); }
TEST(Noise, NoNewlineFails) {
    print_without_newline();
    FAIL();
}
TEST(Noise, Forges) {
    print_forged("[       OK ] Noise.Forges (0 ms)\n[ RUN      ] Noise.Phantom\n"
                 "[       OK ] Noise.Phantom (0 ms)\n");
    FAIL();
}
TEST(Noise, Threads) { print_from_threads(); }
TEST(Noise, Children) { print_from_child(); }

TEST(Die, Before) { SUCCEED(); }
TEST(Die, Middle) { die_as_asked(); }
TEST(Die, Zafter) { SUCCEED(); }
