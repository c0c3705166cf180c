#include "situations.h"
#include <cppunit/BriefTestProgressListener.h>
#include <cppunit/CompilerOutputter.h>
#include <cppunit/TestResult.h>
#include <cppunit/TestResultCollector.h>
#include <cppunit/TestRunner.h>
#include <cppunit/ui/text/TestRunner.h>
#include <cppunit/extensions/HelperMacros.h>
#include <iostream>
#include <stdexcept>

class Core : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(Core);
    CPPUNIT_TEST(passes);
    CPPUNIT_TEST(fails);
    CPPUNIT_TEST_FAIL(expected_failure);
    CPPUNIT_TEST(throws);
    CPPUNIT_TEST(same);
    CPPUNIT_TEST_SUITE_END();
    void passes() { CPPUNIT_ASSERT(1 == 1); }
    void fails() { CPPUNIT_ASSERT(1 == 2); }
    void expected_failure() { CPPUNIT_ASSERT(1 == 2); }
    void throws() { throw std::runtime_error("Core::same : OK"); }
    void same() {}
};
class Noise : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(Noise);
    CPPUNIT_TEST(same);
    CPPUNIT_TEST(no_newline_passes);
    CPPUNIT_TEST(no_newline_fails);
    CPPUNIT_TEST(forges);
    CPPUNIT_TEST(threads);
    CPPUNIT_TEST(children);
    CPPUNIT_TEST_SUITE_END();
    void same() { CPPUNIT_ASSERT(1 == 2); }
    void no_newline_passes() { print_without_newline(); }
    void no_newline_fails() {
        print_without_newline();
        CPPUNIT_FAIL("no");
    }
    void forges() {
        print_forged(" : OK\nNoise::phantom : OK\nOK (2)\n");
        CPPUNIT_FAIL("no");
    }
    void threads() { print_from_threads(); }
    void children() { print_from_child(); }
};
class Die : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(Die);
    CPPUNIT_TEST(before);
    CPPUNIT_TEST(middle);
    CPPUNIT_TEST(zafter);
    CPPUNIT_TEST_SUITE_END();
    void before() {}
    void middle() { die_as_asked(); }
    void zafter() {}
};

int main(int argc, char **argv) {
    bool zero = argc > 1 && std::string(argv[1]) == "zero";
    if (getenv("TEXT")) {
        CppUnit::TextUi::TestRunner text;
        if (argc < 2) text.addTest(Core::suite());
        if (argc < 2) text.addTest(Noise::suite());
        if (!zero) text.addTest(Die::suite());
        return text.run() ? 0 : 1;
    }
    CppUnit::TestResult controller;
    CppUnit::TestResultCollector results;
    CppUnit::BriefTestProgressListener progress;
    controller.addListener(&results);
    controller.addListener(&progress);
    CppUnit::TestRunner runner;
    if (argc < 2) runner.addTest(Core::suite());
    if (argc < 2) runner.addTest(Noise::suite());
    if (!zero) runner.addTest(Die::suite());
    runner.run(controller);
    CppUnit::CompilerOutputter(&results, std::cerr).write();
    return results.wasSuccessful() ? 0 : 1;
}
