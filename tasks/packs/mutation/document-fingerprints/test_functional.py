import pytest


def test_pieces_do_not_matter():
    assert fingerprint([b"ab", b"", b"c"]) == fingerprint([b"abc"]), "only the content counts"


def test_hexadecimal_and_distinct():
    a, b = fingerprint([b"a"]), fingerprint([b"b"])
    assert a != b, "other content has another fingerprint"
    assert a == a.lower() and int(a, 16) >= 0, "the fingerprint is hexadecimal"


def test_archive_keeps_the_first():
    archive = {}
    key = file_away(archive, b"text")
    assert file_away(archive, b"text") == key, "equal content has an equal key"
    assert archive == {key: b"text"}, "it is kept once"


def test_text_is_refused():
    with pytest.raises(TypeError):
        fingerprint(["text"])


def test_same_document():
    assert same_document(b"x", b"x") and not same_document(b"x", b"y"), "comparison by content"
