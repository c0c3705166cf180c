import pytest

HEAD = "name,email,born,course,fee\n"


def row(name="Ada", email="ada@example.org", born="1990-12-10", course="chess", fee="10"):
    return f'"{name}",{email},{born},{course},{fee}\n'


def refused(text, places=5):
    courses = {"chess": places}
    importer = EnrolmentImport(courses)
    try:
        importer.load(text)
    except ImportProblem:
        assert courses == {"chess": places}, "a refused text must not take places"
        assert importer.enrolled == [], "a refused text must not enrol anyone"
        return True
    except ArithmeticError:
        return False
    return False


def test_ordinary_limits_are_allowed():
    importer = EnrolmentImport({"chess": 5})
    importer.load(HEAD + row(name="a" * 60, born="1920-01-01", fee="0") + row(email="b@example.org", born="2015-12-31", fee="2000.00"))
    assert len(importer.enrolled) == 2, "the limits themselves are ordinary"


FEES = ["-50", "-0.01", "NaN", "sNaN", "Infinity", "-Infinity", "2000.01", "1e9", "0.001", "1999999", "free", ""]


@pytest.mark.parametrize("fee", FEES)
def test_fee_is_an_ordinary_sum(fee):
    assert refused(HEAD + row(fee=fee)), f"invalid input accepted: fee {fee!r}"


DATES = ["1919-12-31", "2016-01-01", "9999-12-31", "0001-01-01", "1990-02-30", "19901210", "1990-W50-1", "1990-12-10T00:00", "", "soon"]


@pytest.mark.parametrize("born", DATES)
def test_birthday_is_a_plausible_date(born):
    assert refused(HEAD + row(born=born)), f"invalid input accepted: born {born!r}"


NAMES = ["", "   ", "a" * 61, "a" * 9000, "<script>alert(1)</script>", "=cmd()", "Ada\nadmin", "Ada\x01", "R2D2", "Ada;DROP", "Ada\x1b[2J"]


@pytest.mark.parametrize("name", NAMES)
def test_name_is_made_of_letters(name):
    assert refused(HEAD + row(name=name)), f"invalid input accepted: name {name!r}"


EMAILS = ["ada", "@", "@example.org", "ada@", "ada@localhost", "ada@@example.org", "<b>@example.org", "ada@example.org>x"]
EMAILS += ['"ada@example.org\nBcc: x@example.org"', "ada@exa mple.org", "-ada@example.org", "ada@example.org;x@example.org", "a" * 70 + "@example.org"]


@pytest.mark.parametrize("email", EMAILS)
def test_email_is_one_whole_address(email):
    assert refused(HEAD + row(email=email)), f"invalid input accepted: email {email!r}"


def test_same_person_cannot_take_two_places():
    assert refused(HEAD + row() + row(email="ADA@Example.org")), "validation bypass: enrolled twice in one text"
    importer = EnrolmentImport({"chess": 5})
    importer.load(HEAD + row())
    with pytest.raises(ImportProblem):
        importer.load(HEAD + row(email=" Ada@example.org"))
    assert importer.courses == {"chess": 4}, "validation bypass: enrolled twice over two texts"


def test_course_never_has_less_than_no_place():
    assert refused(HEAD + row() + row(email="b@example.org"), places=1), "limit of places bypassed"
    assert refused(HEAD + row(), places=0), "limit of places bypassed"
    assert refused(HEAD + row(course="Chess")), "invalid input accepted: unknown course"


def test_number_of_rows_is_limited():
    rows = "".join(row(email=f"p{n}@example.org") for n in range(201))
    assert refused(HEAD + rows, places=500), "limit of rows bypassed"


def test_length_is_limited():
    rows = row(fee="0" * 65600 + "1")
    assert refused(HEAD + rows), "limit of length bypassed"


SHAPES = ["", "name,email\n", HEAD + "Ada,ada@example.org\n", HEAD + row().rstrip() + ",extra\n", HEAD + '"Ada,ada@example.org', "email,name,born,course,fee\n" + row()]


@pytest.mark.parametrize("text", SHAPES)
def test_shape_of_the_text(text):
    assert refused(text), f"invalid input accepted: {text!r}"
