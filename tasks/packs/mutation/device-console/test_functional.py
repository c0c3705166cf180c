import hashlib
import hmac

import pytest

PIN = "4711"


@pytest.fixture
def console():
    return Console({"target": 20, "boots": 0, "log": ["made", "sold"]}, PIN)


def sign_in(console):
    nonce = console.handle("HELLO").split()[1]
    return console.handle("AUTH " + hmac.new(PIN.encode(), nonce.encode(), hashlib.sha256).hexdigest())


def test_status_is_for_everybody(console):
    assert console.handle("status") == "TARGET 20", "the target is told"


def test_owner(console):
    assert sign_in(console) == "OK", "the right answer opens the console"
    assert console.handle("set 23") == "OK" and console.device["target"] == 23, "the target is set"
    assert console.handle("SET 99") == console.handle("SET warm") == "ERROR", "odd targets are errors"
    assert console.handle("REBOOT") == "OK" and console.device["boots"] == 1, "it reboots"
    assert console.handle("LOG") == "made; sold", "the log is told"
    assert console.handle("BYE") == "BYE", "the session ends"


def test_unknown(console):
    assert console.handle("DANCE") == console.handle("") == "ERROR", "unknown commands"


def test_wrong_answers_lock(console):
    for _ in range(3):
        console.handle("HELLO")
        assert console.handle("AUTH 00") == "DENIED", "a wrong answer"
    assert console.handle("HELLO") == "LOCKED", "three wrong answers lock"
    assert console.handle("STATUS") == "TARGET 20", "the status is told still"
