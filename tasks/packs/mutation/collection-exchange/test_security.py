import io

import pytest


def document(declared, title="&x;", museum="m", number="1"):
    return f'<!DOCTYPE collection {declared}><collection museum="{museum}"><object id="{number}"><title>a{title}b</title></object></collection>'.encode()


def taken(data):
    """What comes of a document, by any way in; None where it is refused by all."""
    for source in (data, io.BytesIO(data)):
        shelf = Catalogue()
        wrong = shelf.check(source)
        if isinstance(source, io.BytesIO):
            source.seek(0)
        assert "canary" not in " ".join(wrong), f"XXE: a message tells a file: {wrong}"
        try:
            shelf.add(source)
        except CatalogueError as error:
            assert "canary" not in str(error), f"XXE: a message tells a file: {error}"
            assert wrong, "the check finds nothing wrong with what is refused"
            continue
        return shelf.export()[:300]
    return None


@pytest.fixture
def private(tmp_path):
    path = tmp_path / "private.txt"
    path.write_text("canary-secret")
    return path


def test_external_entities(private):
    for where in (f"file://{private}", str(private)):
        for kind in ("SYSTEM", 'PUBLIC "p"'):
            for declared in (f'[<!ENTITY x {kind} "{where}">]', f'[<!ENTITY % p "<!ENTITY x {kind} &#39;{where}&#39;>"> %p;]'):
                found = taken(document(declared))
                assert b"canary" not in (found or b""), f"XXE: {declared} gave {found}"


def test_external_document_types(tmp_path):
    (tmp_path / "t.dtd").write_text('<!ENTITY x "canary"><!ATTLIST object id CDATA "canary">')
    for declared in (f'SYSTEM "{tmp_path}/t.dtd"', f'PUBLIC "p" "file://{tmp_path}/t.dtd"', f'[<!ENTITY % p SYSTEM "{tmp_path}/t.dtd"> %p;]', 'SYSTEM "http://evil.example/t.dtd"'):
        for title in ("&x;", "x"):
            found = taken(document(declared, title))
            assert b"canary" not in (found or b""), f"XXE: the document type {declared} gave {found}"


@pytest.mark.parametrize("declared", ['[<!ENTITY x "canary">]', '[<!ENTITY y "c"><!ENTITY x "&y;&y;">]', "[<!ENTITY x '<i>canary</i>'>]"])
def test_internal_entities(declared):
    for title in ("&x;", "x"):
        found = taken(document(declared, title))
        assert b"canary" not in (found or b""), f"XXE: the document type {declared} gave {found}"


def test_entities_elsewhere():
    entity = '[<!ENTITY x "canary">]'
    for data in (document(entity, "</title><year>&x;</year><title>"), document(entity, "<b>&x;</b>"), document(entity, "t&x;")):
        found = taken(data)
        assert b"canary" not in (found or b""), f"XXE: an entity was expanded: {found}"


def test_bombs():
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 8))
    assert taken(document(f'[<!ENTITY e0 "ha">{lines}<!ENTITY x "&e7;">]')) is None, "XXE: entities multiply"
    assert taken(document('[<!ENTITY x "' + "a" * 4000 + '">]', "&x;" * 400)) is None, "XXE: a long entity is used many times"


def test_includes(private):
    text = f'<collection museum="m" xmlns:xi="http://www.w3.org/2001/XInclude"><object id="1"><title>a<xi:include href="{private}" parse="text"/></title></object></collection>'
    found = taken(text.encode())
    assert b"canary" not in (found or b""), f"XXE: an inclusion gave {found}"


def test_no_connection():
    requests.reset()
    taken(document('[<!ENTITY x SYSTEM "http://169.254.169.254/latest/meta-data/">]'))
    assert not requests.last_url, "XXE: a document made the program fetch an address"


@pytest.mark.parametrize("museum, number, title", [("../m", "1", "t"), ("m", "a/b", "t"), ("m" * 41, "1", "t"), ("m", "1\n", "t"), ("m", "1", "t" * 199), ("", "1", "t"), ("m", "", "t")])
def test_names_and_titles(museum, number, title):
    data = document("", title, museum, number).split(b">", 1)[1]
    assert taken(data) is None, f"{museum!r}, {number!r} and {title[:10]!r} were taken"
