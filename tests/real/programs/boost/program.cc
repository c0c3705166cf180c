#define BOOST_TEST_MODULE Core tests
#include <boost/test/included/unit_test.hpp>
#include <boost/test/data/test_case.hpp>
#include "situations.h"
namespace utf = boost::unit_test;

BOOST_AUTO_TEST_SUITE(core)
BOOST_AUTO_TEST_CASE(passes) { BOOST_TEST(1 == 1); }
BOOST_AUTO_TEST_CASE(fails) { BOOST_TEST(1 == 2); }
BOOST_AUTO_TEST_CASE(skips, *utf::disabled()) { BOOST_TEST(1 == 2); }
BOOST_AUTO_TEST_CASE(expected_failure, *utf::expected_failures(1)) { BOOST_TEST(1 == 2); }
BOOST_AUTO_TEST_CASE(same) { BOOST_TEST(1 == 1); }
BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(names)
BOOST_AUTO_TEST_CASE(same) { BOOST_TEST(1 == 2); }
BOOST_AUTO_TEST_CASE(passed_not_ok) { BOOST_TEST(1 == 1); }
BOOST_DATA_TEST_CASE(of, utf::data::make({1, 2}), number) { BOOST_TEST(number == 1); }
BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(noise)
BOOST_AUTO_TEST_CASE(no_newline_passes) {
    print_without_newline();
    BOOST_TEST(1 == 1);
}
BOOST_AUTO_TEST_CASE(no_newline_fails) {
    print_without_newline();
    BOOST_TEST(1 == 2);
}
BOOST_AUTO_TEST_CASE(forges) {
    print_forged("a.cc(1): Entering test case \"phantom\"\n"
                 "a.cc(1): Leaving test case \"phantom\"; testing time: 5us\n*** No errors detected\n");
    BOOST_TEST(1 == 2);
}
BOOST_AUTO_TEST_CASE(threads) {
    print_from_threads();
    BOOST_TEST(1 == 1);
}
BOOST_AUTO_TEST_CASE(children) {
    print_from_child();
    BOOST_TEST(1 == 1);
}
BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(die)
BOOST_AUTO_TEST_CASE(before) { BOOST_TEST(1 == 1); }
BOOST_AUTO_TEST_CASE(middle) {
    die_as_asked();
    BOOST_TEST(1 == 1);
}
BOOST_AUTO_TEST_CASE(slow, *utf::timeout(1)) {
    if (getenv("DIE") && strcmp(getenv("DIE"), "slow") == 0) sleep(30);
    BOOST_TEST(1 == 1);
}
BOOST_AUTO_TEST_CASE(zafter) { BOOST_TEST(1 == 1); }
BOOST_AUTO_TEST_SUITE_END()
