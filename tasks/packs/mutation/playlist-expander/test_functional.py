import pytest

TEXT = """\
# for the run
warm-up: Slow Start, Easy x2

run: @warm-up, Fast x3, @warm-up x2
"""


def test_expand():
    book = PlaylistBook(TEXT)
    assert book.expand("warm-up") == ["Slow Start", "Easy", "Easy"], "titles in order"
    assert book.expand("run") == ["Slow Start", "Easy", "Easy", "Fast", "Fast", "Fast"] + ["Slow Start", "Easy", "Easy"] * 2, "lists in lists"
    assert book.length("run") == 12, "their number"


@pytest.mark.parametrize("text", ["run", "run:", "a b: c", "run: @", "run: @two words", "run: A x0", "run: A x21", "run: A\nrun: B", "x" * 31 + ": A"])
def test_bad_descriptions(text):
    with pytest.raises(PlaylistError):
        PlaylistBook(text)


def test_bad_names():
    book = PlaylistBook("a: @b\nb: @a\nc: @d")
    for name in ("a", "c", "nobody"):
        with pytest.raises(PlaylistError):
            book.expand(name)
