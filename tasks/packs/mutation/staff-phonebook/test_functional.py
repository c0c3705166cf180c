import pytest


def test_filter_by_name():
    assert staff_filter("Ada") == "(&(objectClass=person)(!(hidden=TRUE))(cn=Ada*))", "name only"


def test_filter_by_name_and_department():
    text = staff_filter(" Ada L ", " Surgery")
    assert text == "(&(objectClass=person)(!(hidden=TRUE))(cn=Ada L*)(ou=Surgery))", "both, without blanks"


def test_look_up():
    assert look_up("ali") == ["uid=alice,ou=people,dc=example,dc=com"], "beginning of a name"
    assert look_up("zoe") == [], "nobody"


@pytest.mark.parametrize("name", ["", "   ", "x" * 61])
def test_length_of_a_name(name):
    with pytest.raises(ValueError):
        staff_filter(name)
