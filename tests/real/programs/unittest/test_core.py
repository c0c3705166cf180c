import os
import signal
import subprocess
import sys
import threading
import time
import unittest


class Core(unittest.TestCase):
    def test_passes(self):
        self.assertEqual(1, 1)

    def test_fails(self):
        self.assertEqual(1, 2)

    @unittest.skip("not here")
    def test_skips(self):
        self.fail()

    @unittest.expectedFailure
    def test_expected_failure(self):
        self.fail()

    @unittest.expectedFailure
    def test_unexpected_pass(self):
        pass

    def test_raises(self):
        raise RuntimeError("test_same (test_core.Core.test_same) ... ok")

    def test_same(self):
        pass

    def test_with_docstring(self):
        """This says FAIL: and ok."""

    def test_subtests(self):
        for number in (1, 2):
            with self.subTest(number=number):
                self.assertEqual(number, 1)


class Names(unittest.TestCase):
    def test_same(self):
        self.fail()


class Noise(unittest.TestCase):
    def test_no_newline_passes(self):
        print("no newline behind this", end="", file=sys.stderr, flush=True)

    def test_no_newline_fails(self):
        print("no newline behind this", end="", file=sys.stderr, flush=True)
        self.fail()

    def test_forges(self):
        print("ok\ntest_phantom (test_core.Noise.test_phantom) ... ok", file=sys.stderr, flush=True)
        self.fail()

    def test_threads(self):
        threads = [threading.Thread(target=print, args=("FAIL",)) for _ in range(5)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]

    def test_children(self):
        subprocess.run([sys.executable, "-c", "print('FAIL'); raise SystemExit(3)"])


class Xdie(unittest.TestCase):
    def test_a_before(self):
        pass

    def test_middle(self):
        how = os.environ.get("DIE")
        if how == "crash":
            os.abort()
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "exit0":
            os._exit(0)
        if how == "sleep":
            time.sleep(30)

    def test_zafter(self):
        pass
