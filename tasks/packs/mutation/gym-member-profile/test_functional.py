import pytest


def test_form_is_taken_over():
    member = Member(1, "Ann")
    changed = update_profile(member, {"nickname": "Annie", "phone": "123", "newsletter": True})
    assert changed is member, "the same member"
    assert (member.nickname, member.phone, member.newsletter) == ("Annie", "123", True), "all of the form"


def test_part_of_the_form():
    member = update_profile(Member(1, "Ann", phone="5"), {"newsletter": True})
    assert member == Member(1, "Ann", phone="5", newsletter=True), "the rest stays"


def test_unknown_entries_are_passed_over():
    assert update_profile(Member(1, "Ann"), {"colour": "red"}) == Member(1, "Ann"), "nothing happens"


def test_empty_nickname():
    member = Member(1, "Ann")
    with pytest.raises(ValueError):
        update_profile(member, {"phone": "9", "nickname": ""})
    assert member == Member(1, "Ann"), "nothing is changed"
