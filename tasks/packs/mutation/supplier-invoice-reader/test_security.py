import pytest

LINE = '<line count="1" price="2">a {} b</line>'


def read(tmp_path, declared, inside="&x;", supplier="nails"):
    path = tmp_path / "in.xml"
    path.write_text(f'<!DOCTYPE invoice {declared}><invoice supplier="{supplier}" number="1">{LINE.format(inside)}</invoice>')
    try:
        return InvoiceReader({"nails"}).read(path)
    except InvoiceError as error:
        assert "canary" not in str(error), f"XXE: the message tells a file: {error}"
        return None


@pytest.fixture
def private(tmp_path):
    path = tmp_path / "private.txt"
    path.write_text("canary-secret")
    return path


def test_external_entities(tmp_path, private):
    for where in (f"file://{private}", str(private), "private.txt", "./private.txt"):
        for kind in ("SYSTEM", 'PUBLIC "p"'):
            found = read(tmp_path, f'[<!ENTITY x {kind} "{where}">]')
            assert "canary" not in str(found), f"XXE: an external entity at {where} gave {found}"


def test_external_document_types(tmp_path):
    (tmp_path / "t.dtd").write_text('<!ENTITY x "canary"><!ATTLIST line extra CDATA "canary">')
    for declared in ('SYSTEM "t.dtd"', f'SYSTEM "file://{tmp_path}/t.dtd"', f'PUBLIC "p" "{tmp_path}/t.dtd"', 'SYSTEM "http://evil.example/t.dtd"', 'SYSTEM "missing.dtd"'):
        for inside in ("&x;", "x"):
            found = read(tmp_path, declared, inside)
            assert "canary" not in str(found), f"XXE: the document type {declared} gave {found}"


def test_parameter_entities(tmp_path, private):
    (tmp_path / "t.dtd").write_text(f'<!ENTITY x SYSTEM "file://{private}">')
    for inside in ("&x;", "x"):
        found = read(tmp_path, f'[<!ENTITY % p SYSTEM "file://{tmp_path}/t.dtd"> %p;]', inside)
        assert "canary" not in str(found), f"XXE: a parameter entity gave {found}"


@pytest.mark.parametrize("declared", ['[<!ENTITY x "canary">]', '[<!ENTITY y "canary"><!ENTITY x "&y;">]', "[<!ENTITY x '<i>canary</i>'>]"])
def test_internal_entities(tmp_path, declared):
    for inside in ("&x;", "x"):
        found = read(tmp_path, declared, inside)
        assert "canary" not in str(found), f"XXE: the document type {declared} was taken: {found}"


def test_bombs(tmp_path):
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 8))
    assert read(tmp_path, f'[<!ENTITY e0 "ha">{lines}<!ENTITY x "&e7;">]') is None, "XXE: entities multiply"
    assert read(tmp_path, '[<!ENTITY x "' + "a" * 4000 + '">]', "&x;" * 400) is None, "XXE: a long entity is used many times"


def test_documents_without_document_type(tmp_path, private):
    (tmp_path / "in.xml").write_text(f'<invoice supplier="nails" number="1" xmlns:xi="http://www.w3.org/2001/XInclude"><line count="1" price="1"><xi:include href="{private}" parse="text"/></line></invoice>')
    with pytest.raises(InvoiceError):
        InvoiceReader({"nails"}).read(tmp_path / "in.xml")
