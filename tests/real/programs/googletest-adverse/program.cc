#include "situations.h"
#include <gtest/gtest.h>
#include <stdexcept>

class SuiteSetUp : public testing::Test {
protected:
    static void SetUpTestSuite() { FAIL() << "[  PASSED  ] 3 tests."; }
};
TEST_F(SuiteSetUp, First) { SUCCEED(); }
TEST_F(SuiteSetUp, Second) { SUCCEED(); }

class SuiteTearDown : public testing::Test {
protected:
    static void TearDownTestSuite() { FAIL() << "too late"; }
};
TEST_F(SuiteTearDown, First) { SUCCEED(); }

class EachSetUp : public testing::Test {
protected:
    void SetUp() override { FAIL() << "before"; }
};
TEST_F(EachSetUp, First) { SUCCEED(); }

class EachTearDown : public testing::Test {
protected:
    void TearDown() override { FAIL() << "after"; }
};
TEST_F(EachTearDown, First) { SUCCEED(); }

class Throwing : public testing::Test {
protected:
    Throwing() { throw std::runtime_error("[       OK ] Throwing.First (0 ms)"); }
};
TEST_F(Throwing, First) { SUCCEED(); }

class SkippingSetUp : public testing::Test {
protected:
    void SetUp() override { GTEST_SKIP() << "no device"; }
};
TEST_F(SkippingSetUp, First) { FAIL(); }

class Global : public testing::Environment {
public:
    void TearDown() override {
        if (getenv("GLOBAL")) ADD_FAILURE() << "the environment's tear-down";
    }
};

template <class T> class Typed : public testing::Test {};
struct PASSED {};
using Types = testing::Types<int, std::pair<char, PASSED>>;
TYPED_TEST_SUITE(Typed, Types);
TYPED_TEST(Typed, IsInt) { EXPECT_EQ(sizeof(TypeParam), sizeof(int)); }

struct Odd {
    int number;
};
void PrintTo(const Odd &odd, std::ostream *out) {
    *out << "Odd\n[       OK ] Values/Odds.AreZero/" << odd.number << " (0 ms)\n[ RUN      ] Phantom.Test\n"
         << "[       OK ] Phantom.Test (0 ms)\n";
}
class Odds : public testing::TestWithParam<Odd> {};
TEST_P(Odds, AreZero) { EXPECT_EQ(GetParam().number, 0); }
INSTANTIATE_TEST_SUITE_P(Values, Odds, testing::Values(Odd{0}, Odd{1}));

class Words : public testing::TestWithParam<const char *> {};
TEST_P(Words, ArePlain) { EXPECT_STREQ(GetParam(), "plain"); }
INSTANTIATE_TEST_SUITE_P(Odd, Words, testing::Values("plain", ", where GetParam() = \"plain\" (0 ms)\n", "\xff\xfe", ""));

class Many : public testing::TestWithParam<int> {};
TEST_P(Many, Pass) { EXPECT_NE(GetParam(), 19998); }
INSTANTIATE_TEST_SUITE_P(Range, Many, testing::Range(0, 20000));

static int times = 0;
TEST(Repeat, FailsSecond) { EXPECT_NE(++times, 2); }
TEST(Repeat, Passes) { SUCCEED(); }

TEST(DyingDeathTest, Dies) { EXPECT_DEATH(abort(), ""); }
TEST(DyingDeathTest, Lives) { EXPECT_DEATH((void)0, ""); }
TEST(DyingDeathTest, Forges) {
    EXPECT_EXIT({ fputs("[       OK ] DyingDeathTest.Forges (0 ms)\n", stderr); exit(1); }, testing::ExitedWithCode(0), "");
}

TEST(Child, GoesOn) {
    if (fork() == 0) {
        usleep(300000);
        print_forged("[       OK ] Report.Middle (0 ms)\n[  PASSED  ] 2 tests.\n");
        _exit(0);
    }
}

TEST(Report, Before) { SUCCEED(); }
TEST(Report, Middle) {
    const char *how = getenv("REPORT");
    if (how == NULL) return;
    print_forged("[       OK ] Report.Middle (0 ms)\n");
    if (strcmp(how, "rest") == 0)
        print_forged("[ RUN      ] Report.Zafter\n[       OK ] Report.Zafter (0 ms)\n");
    print_forged("[----------] 3 tests from Report (0 ms total)\n\n[----------] Global test environment tear-down\n"
                 "[==========] 3 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 3 tests.\n");
    if (strcmp(how, "fails") == 0) FAIL();
    if (strcmp(how, "killed") == 0) raise(SIGKILL);
    if (strcmp(how, "half") == 0) print_forged("caf\xc3");
    _exit(0);
}
TEST(Report, Zafter) { SUCCEED(); }

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    testing::AddGlobalTestEnvironment(new Global);
    return RUN_ALL_TESTS();
}
