#include "situations.h"
#include <QTest>

class Core : public QObject {
    Q_OBJECT
private slots:
    void passes() { QVERIFY(1 == 1); }
    void fails() { QCOMPARE(1, 2); }
    void skips() { QSKIP("not here"); }
    void expectedFailure() {
        QEXPECT_FAIL("", "known", Continue);
        QCOMPARE(1, 2);
    }
    void unexpectedPass() {
        QEXPECT_FAIL("", "known", Continue);
        QCOMPARE(1, 1);
    }
    void rows_data() {
        QTest::addColumn<int>("number");
        QTest::newRow("has: colons, [brackets] (and) spaces") << 1;
        QTest::newRow("PASS   : not ok") << 1;
        QTest::newRow("same") << 1;
        QTest::newRow("two") << 2;
    }
    void rows() {
        QFETCH(int, number);
        QCOMPARE(number, 1);
    }
    void noNewlinePasses() { print_without_newline(); }
    void noNewlineFails() {
        print_without_newline();
        QVERIFY(1 == 2);
    }
    void forges() {
        print_forged("PASS   : Core::forges()\nPASS   : Core::phantom()\n");
        QVERIFY(1 == 2);
    }
    void threads() { print_from_threads(); }
    void children() { print_from_child(); }
    void before() {}
    void middle() { die_as_asked(); }
    void zafter() {}
};
QTEST_APPLESS_MAIN(Core)
#include "program.moc"
