import signal
from contextlib import contextmanager

import pytest


class TooSlow(BaseException):
    pass


def refused(call, what):
    """Whether `call` is refused, within 0.3 s of CPU."""

    def late(*_):
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.3)
    try:
        call()
        return False
    except PlaylistError:
        return True
    except TooSlow:
        raise AssertionError(f"resource consumption: more than 0.3 s of CPU for {what}") from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def nested(depth, times=20, last="A x20"):
    return "\n".join([f"l{n}: @l{n + 1} x{times}" for n in range(depth - 1)] + [f"l{depth - 1}: {last}"])


@pytest.mark.parametrize("depth", [3, 4, 6, 8, 10])
def test_number_of_titles_is_limited(depth):
    book = PlaylistBook(nested(depth))
    assert refused(lambda: book.expand("l0"), f"{depth} levels"), f"resource consumption: 20 to the power of {depth} titles"
    assert refused(lambda: book.length("l0"), f"{depth} levels"), f"resource consumption: 20 to the power of {depth} titles counted"


@pytest.mark.parametrize("depth", [11, 12, 20, 150, 200])
def test_depth_is_limited(depth):
    book = PlaylistBook(nested(depth, 1, "A"))
    assert refused(lambda: book.expand("l0"), f"{depth} levels"), f"resource consumption: nested {depth} deep"
    assert refused(lambda: book.length("l0"), f"{depth} levels"), f"resource consumption: counted {depth} deep"


@pytest.mark.parametrize("text", ["a: @a", "a: A, @b\nb: @c x20\nc: @a x20", "a: @b x20, @b x20\nb: @a x20, @a x20"])
def test_lists_that_hold_themselves(text):
    book = PlaylistBook(text)
    assert refused(lambda: book.expand("a"), text), "resource consumption: a list holds itself"


@pytest.mark.parametrize("times", ["21", "25", "100", "999", "10000000", "0"])
def test_repetition_is_limited(times):
    def use():
        titles = PlaylistBook(f"a: A x{times}").expand("a")
        assert titles == [f"A x{times}"], f"resource consumption: {len(titles)} times"
        raise PlaylistError("taken as a title, which is harmless")

    assert refused(use, f"{times} times"), "resource consumption by repetition"
    assert refused(lambda: PlaylistBook(f"b: B\na: @b x{times}"), f"{times} times"), "resource consumption by repetition of lists"


def test_numbers_within_titles():
    for title in ("A x2 live", "A x2x", "Ax20", "A x2 x", "A x-2"):
        assert PlaylistBook(f"a: {title}").expand("a") == [title], f"{title} was read as a repetition"


def test_one_more_title():
    book = PlaylistBook("ten: T x10\nall: @ten x10, @ten x10\nmany: @all x10\nover: @many, T\nfar: @many, T x20, @ten")
    assert book.length("many") == 2000, "2,000 titles are fine"
    assert refused(lambda: book.expand("over"), "2,001 titles"), "resource consumption: 2,001 titles"
    assert refused(lambda: book.length("far"), "2,030 titles"), "resource consumption: 2,030 titles"


def test_ten_levels():
    assert PlaylistBook(nested(10, 1, "A")).expand("l0") == ["A"], "ten levels are fine"


@pytest.mark.parametrize("lines", [201, 220, 1000])
def test_lines_are_limited(lines):
    assert refused(lambda: PlaylistBook("\n".join(f"l{n}: A" for n in range(lines))), f"{lines} lines"), f"resource consumption: {lines} lines"
    assert refused(lambda: PlaylistBook("\n" * lines), f"{lines} empty lines"), f"resource consumption: {lines} empty lines"


@pytest.mark.parametrize("length", [20_001, 22_000, 500_000])
def test_text_is_limited(length):
    assert refused(lambda: PlaylistBook("a: " + "A" * (length - 3)), f"{length} characters"), f"resource consumption: {length} characters"
    assert refused(lambda: PlaylistBook("#" * length), f"{length} characters"), f"resource consumption: a comment of {length} characters"


@pytest.mark.parametrize("items", [101, 110, 1000])
def test_items_are_limited(items):
    assert refused(lambda: PlaylistBook("a: " + "A," * (items - 1) + "A"), f"{items} items"), f"resource consumption: {items} items"


def test_names_are_checked():
    for text in ("a" * 31 + ": A", "a: @" + "b" * 31, "a: @b!", "a/b: A", ": A", "a: @, A", "a: A,,B", "a:"):
        assert refused(lambda: PlaylistBook(text), text), f"{text!r} was taken"
