#define BOOST_TEST_MODULE Adverse tests
#include <boost/test/included/unit_test.hpp>
#include "adverse.h"

BOOST_AUTO_TEST_SUITE(s)
BOOST_AUTO_TEST_CASE(before) { BOOST_TEST(1 == 1); }
BOOST_AUTO_TEST_CASE(middle) {
    act_badly();
    BOOST_TEST(1 == 1);
}
BOOST_AUTO_TEST_CASE(fails) { BOOST_TEST(!is_asked()); }
BOOST_AUTO_TEST_CASE(zafter) { BOOST_TEST(1 == 1); }
BOOST_AUTO_TEST_SUITE_END()
