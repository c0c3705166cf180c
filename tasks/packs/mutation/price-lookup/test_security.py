import sqlite3

import pytest

WORDS = ("price_list", "no such", "sqlite", "operational", "database is", "malformed", "not a database",
         "unable to open", "traceback", "select", "file \"", "line ", "error(", "cents")


@pytest.fixture(params=["no table", "no folder", "no database", "a folder", "no column"])
def broken(request, tmp_path):
    path = tmp_path / "warehouse-17.db"
    if request.param == "no folder":
        return str(tmp_path / "gone" / "warehouse-17.db")
    if request.param == "no database":
        path.write_bytes(b"this is no database at all, but text " * 50)
    elif request.param == "a folder":
        path.mkdir()
    elif request.param == "no column":
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE price_list (sku TEXT)")
        db.commit()
        db.close()
    return str(path)


def shown(answer):
    return " ".join(str(v) for v in answer.values()).lower()


def test_customer_does_not_see_what_the_database_says(broken):
    text = shown(price_of(broken, "A-1"))
    told = [w for w in WORDS if w in text]
    assert not told, f"the display tells inner details: {told}"


def test_customer_does_not_see_where_the_file_is(broken):
    text = shown(price_of(broken, "A-1"))
    assert "warehouse-17" not in text and "/" not in text, "the display tells the file's path"


def test_trouble_does_not_reach_the_caller_as_an_exception(broken):
    try:
        answer = price_of(broken, "A-1")
    except Exception as error:
        answer = {"raised": repr(error)}
    assert answer.get("ok") is False and "raised" not in answer, "the database's exception reaches the display"


def test_answer_does_not_depend_on_the_kind_of_trouble(broken, tmp_path):
    other = str(tmp_path / "somewhere" / "else.db")
    assert set(price_of(broken, "A-1")) == set(price_of(other, "A-1")) == {"ok", "message"}, "extra fields"
    assert price_of(broken, "A-1") == price_of(other, "A-1"), "the message tells which trouble it is"
