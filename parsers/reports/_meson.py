"""The words for results that Meson prints and writes into its log (mesonbuild's TestResult)."""

from parsers.outcomes import Outcome

RESULTS = {
    "OK": Outcome.PASSED,
    "FAIL": Outcome.FAILED,
    "ERROR": Outcome.ERROR,
    "TIMEOUT": Outcome.TIMEOUT,
    "INTERRUPT": Outcome.ERROR,
    "SKIP": Outcome.SKIPPED,
    "EXPECTEDFAIL": Outcome.XFAILED,
    "UNEXPECTEDPASS": Outcome.XPASSED,
}
