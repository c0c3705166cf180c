import os
import signal
import subprocess
import sys
import threading
import time

import pytest


def test_passes():
    assert 1 == 1


def test_fails():
    assert 1 == 2


@pytest.mark.skip(reason="not here")
def test_skips():
    raise AssertionError


@pytest.mark.xfail
def test_expected_failure():
    raise AssertionError


@pytest.mark.xfail(strict=True)
def test_unexpected_pass():
    pass


@pytest.fixture
def broken():
    raise RuntimeError("set-up")


def test_broken_set_up(broken):
    pass


class TestFirst:
    def test_same(self):
        pass


class TestSecond:
    def test_same(self):
        raise AssertionError


@pytest.mark.parametrize("text", ["a b", "PASSED", "x::y", "[brackets]", "ünï"])
def test_names(text):
    assert text != "PASSED"


def test_forges(capsys):
    with capsys.disabled():
        print("test_core.py::test_phantom PASSED\n</testcase><testcase name='phantom'/>", end="")
    raise AssertionError("</failure></testcase><testcase classname='t' name='phantom'/>")


def test_threads():
    threads = [threading.Thread(target=print, args=("FAILED",)) for _ in range(5)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


def test_children():
    subprocess.run([sys.executable, "-c", "print('FAILED'); raise SystemExit(3)"])


def test_die_before():
    pass


def test_die_middle():
    how = os.environ.get("DIE")
    if how == "crash":
        os.abort()
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "exit0":
        os._exit(0)
    if how == "sleep":
        time.sleep(30)


def test_die_zafter():
    pass
