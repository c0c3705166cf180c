#include "situations.h"
#include <gtest/gtest.h>

TEST(Inner, Passes) { SUCCEED(); }
TEST(Inner, Fails) { EXPECT_EQ(getenv("GOOD"), nullptr) << "ok"; EXPECT_NE(getenv("GOOD"), nullptr); }
TEST(Inner, Middle) { die_as_asked(); }
