from urllib.parse import unquote


def test_ordinary_name():
    assert content_disposition("report 2024 (final).pdf") == 'attachment; filename="report 2024 (final).pdf"', "kept"


def test_inline():
    assert content_disposition("plan.png", inline=True).startswith("inline;"), "shown in the browser"


def test_only_the_last_part():
    assert 'filename="b.txt"' in content_disposition("C:\\a\\b.txt"), "what follows the last backslash"
    assert 'filename="b.txt"' in content_disposition("/a/b.txt"), "what follows the last slash"


def test_beyond_ascii():
    value = content_disposition("übung.txt")
    assert 'filename="_bung.txt"' in value, "a name in ASCII"
    assert unquote(value.split("filename*=UTF-8''")[1]) == "übung.txt", "and the whole name"


def test_nothing_left():
    assert 'filename="download"' in content_disposition("a/") and 'filename="download"' in content_disposition(""), "a name is made up"
