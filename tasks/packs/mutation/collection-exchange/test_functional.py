import io

import pytest

LOUVRE = b'<collection museum="louvre"><!-- x --><object id="a.2" loan="no"><title>Blue <!-- - -->Vase</title><year>1890</year><note/></object><object id="a.1"><title> Red &amp; Blue </title></object></collection>'


def test_add_and_find():
    shelf = Catalogue()
    assert shelf.add(LOUVRE) == 2 and shelf.add(io.BytesIO(LOUVRE)) == 0, "new ones are counted"
    assert shelf.find("blue") == [Object("louvre", "a.1", "Red & Blue", None), Object("louvre", "a.2", "Blue Vase", 1890)], "in order"
    assert shelf.find("VASE blue")[0].id == "a.2", "all words"


def test_newer_title():
    shelf = Catalogue()
    shelf.add(LOUVRE)
    assert shelf.add(b'<collection museum="louvre"><object id="a.2"><title>Green Vase</title></object></collection>') == 0, "known"
    assert shelf.find("vase") == [Object("louvre", "a.2", "Green Vase", None)], "the newer one"


def test_export():
    shelf = Catalogue()
    shelf.add(LOUVRE)
    assert shelf.export() == b'<catalogue><object museum="louvre" id="a.1">Red &amp; Blue</object><object museum="louvre" id="a.2" year="1890">Blue Vase</object></catalogue>', "all of them"


@pytest.mark.parametrize("inside", ["<object><title>a</title></object>", '<object id="1"/>', '<object id="1"><title>a</title><year>old</year></object>', '<object id="a b"><title>a</title></object>'])
def test_wrong_objects(inside):
    shelf, text = Catalogue(), f'<collection museum="m"><object id="0"><title>t</title></object>{inside}</collection>'.encode()
    assert len(shelf.check(text)) == 1, "what is wrong is told"
    with pytest.raises(CatalogueError):
        shelf.add(text)
    assert shelf.find("") == [] and shelf.check(LOUVRE) == [], "nothing was added"


def test_no_collection():
    for text in (b"", b"<collection", b"<list/>", b"<collection/>"):
        assert Catalogue().check(text), "something is wrong"
        with pytest.raises(CatalogueError):
            Catalogue().add(text)
