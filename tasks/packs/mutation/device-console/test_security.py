import hashlib
import hmac

import pytest

PIN = "4711"
COMMANDS = ["SET 30", "REBOOT", "LOG", "set 5", " reboot", "log ", "Set 30"]


def new_console(**options):
    return Console({"target": 20, "boots": 0, "log": ["owner is away until May"]}, PIN, **options)


def answer_to(challenge, pin=PIN):
    return "AUTH " + hmac.new(pin.encode(), challenge.split()[1].encode(), hashlib.sha256).hexdigest()


def sign_in(console):
    return console.handle(answer_to(console.handle("HELLO")))


def untouched(console, reply):
    return console.device["target"] == 20 and console.device["boots"] == 0 and "May" not in reply


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_before_signing_in(command):
    console = new_console()
    reply = console.handle(command)
    assert untouched(console, reply), f"{command} worked for a stranger"
    assert reply not in ("OK", ""), "a stranger is told that it worked"


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_after_hello_alone(command):
    console = new_console()
    console.handle("HELLO")
    assert untouched(console, console.handle(command)), f"{command} worked after HELLO"


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("attempt", ["AUTH", "AUTH ", "AUTH 0", "AUTH 4711", "AUTH OK", "AUTH True", "AUTH None"])
def test_nothing_after_a_wrong_answer(command, attempt):
    console = new_console()
    console.handle("HELLO")
    reply = console.handle(attempt)
    assert reply != "OK", f"{attempt!r} is taken for the right answer"
    assert untouched(console, console.handle(command)), f"{command} worked after {attempt!r}"


@pytest.mark.parametrize("pin", ["", "0000", "47110", "471"])
def test_answer_with_another_pin(pin):
    console = new_console()
    assert console.handle(answer_to(console.handle("HELLO"), pin)) != "OK", f"{pin!r} opens the console"
    assert untouched(console, console.handle("REBOOT")), "the device was rebooted"


def test_auth_without_hello():
    console = new_console()
    for nonce in ("", "None"):
        reply = console.handle(answer_to(f"CHALLENGE {nonce} ".replace("  ", " x")) if nonce else
                               "AUTH " + hmac.new(PIN.encode(), b"", hashlib.sha256).hexdigest())
        assert reply != "OK", "a console that gave no challenge was opened"


def test_old_answer_does_not_serve_again():
    console = new_console()
    heard = answer_to(console.handle("HELLO"))
    assert console.handle(heard) == "OK", "the owner signs in"
    console.handle("BYE")
    assert console.handle(heard) != "OK", "an answer that was listened to serves again"
    console.handle("HELLO")
    assert console.handle(heard) != "OK", "an answer to an old challenge serves for a new one"
    assert untouched(console, console.handle("LOG")), "the log was told"


def test_challenges_differ():
    console = new_console()
    assert len({console.handle("HELLO") for _ in range(20)}) == 20, "challenges repeat"


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_after_bye(command):
    console = new_console()
    assert sign_in(console) == "OK", "the owner signs in"
    console.handle("BYE")
    assert untouched(console, console.handle(command)), f"{command} worked after the session's end"


def test_new_hello_ends_the_session():
    console = new_console()
    sign_in(console)
    console.handle("HELLO")
    assert untouched(console, console.handle("REBOOT")), "who says HELLO anew is still signed in"


def test_lock_holds_against_the_right_answer():
    console = new_console()
    for _ in range(3):
        console.handle("HELLO")
        console.handle("AUTH 00")
    assert console.handle("HELLO") == "LOCKED", "more guesses are possible after three wrong ones"
    assert untouched(console, console.handle("SET 30")), "a locked console obeys"


def test_empty_answer_to_own_nonce():
    console = new_console(nonce=lambda: "n1")
    console.handle("HELLO")
    assert console.handle("AUTH n1") != "OK", "the challenge itself is the answer"
