import ast
import io

import pytest

CHARACTERS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\t", "\x00", "\x08", "\x1b[2J", "\x7f", "\x9b31m", "\u202e", "\u200b"]
FORGED = "CRITICAL root | all is lost"


def logged(write, name="shop"):
    stream = io.StringIO()
    write(line_logger(name, stream))
    text = stream.getvalue()
    assert text.endswith("\n"), "a line ends"
    line = text[:-1]
    assert len(line.splitlines()) == 1, f"log injection: a line was forged: {text!r}"
    assert line.isprintable(), f"log injection: control characters in {text!r}"
    return line


def fail(text):
    raise RuntimeError(text)


def with_exception(text):
    def write(logger):
        try:
            fail(text)
        except RuntimeError:
            logger.exception("job failed")

    return write


@pytest.mark.parametrize("middle", CHARACTERS)
def test_message(middle):
    line = logged(lambda logger: logger.info(f"x{middle}{FORGED}".replace("%", "")))
    assert len(line.split(" | ")) == 2, f"log injection: a field was forged in {line!r}"


@pytest.mark.parametrize("middle", CHARACTERS)
def test_argument(middle):
    line = logged(lambda logger: logger.warning("user %s from %s", f"eve{middle}{FORGED}", f"home{middle}"))
    assert line.startswith("WARNING shop | user eve"), "the user is still told"
    assert len(line.split(" | ")) == 2, f"log injection: a field was forged in {line!r}"


@pytest.mark.parametrize("middle", CHARACTERS)
def test_exception_text(middle):
    line = logged(with_exception(f"x{middle}{FORGED}"))
    assert len(line.split(" | ")) == 3, f"log injection: a field was forged in {line!r}"
    assert "RuntimeError" in line, "the exception is still told"


@pytest.mark.parametrize("middle", CHARACTERS)
def test_name_of_the_logger(middle):
    line = logged(lambda logger: logger.info("hello"), name=f"shop{middle}x | y")
    assert len(line.split(" | ")) == 2, f"log injection: a field was forged in {line!r}"


def test_other_kinds_of_arguments():
    class Odd:
        def __str__(self):
            return f"odd\n{FORGED}\r\x1b[0m"

    logged(lambda logger: logger.info("got %s", Odd()))
    logged(lambda logger: logger.info(Odd()))
    logged(lambda logger: logger.info("%(who)s", {"who": f"eve\n{FORGED}"}))


@pytest.mark.parametrize("text", ["a\\nb", "a\nb", "a\\\nb", "a\\x1bb", "a\x1bb", "a\\x7cb", "a|b", "\\", "\\\\n"])
def test_escapes_cannot_be_mistaken(text):
    line = logged(lambda logger: logger.info("%s", text))
    shown = line.split(" | ", 1)[1]
    read = ast.literal_eval('"' + shown.replace('"', '\\"') + '"')
    assert read == text, f"log injection: {shown!r} is ambiguous, it reads as {read!r}"


def test_several_characters_at_once():
    line = logged(lambda logger: logger.info("a\nb\nc\rd\x1be | f | g"))
    assert len(line.split(" | ")) == 2, f"log injection: only the first was escaped in {line!r}"
