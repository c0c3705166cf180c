import pytest

COMMENT = {"author_id": 7, "photo_owner_id": 3, "text": "nice", "hidden": False}


def test_author_edits():
    changed = edit_comment(COMMENT, {"id": 7, "roles": []}, "very nice")
    assert changed["text"] == "very nice" and COMMENT["text"] == "nice", "a changed copy"


@pytest.mark.parametrize("user", [{"id": 7, "roles": []}, {"id": 3, "roles": ["member"]}, {"id": 50, "roles": ["moderator"]}])
def test_who_hides(user):
    assert hide_comment(COMMENT, user)["hidden"] is True, f"hidden by {user}"


def test_stranger():
    with pytest.raises(PermissionError):
        edit_comment(COMMENT, {"id": 9, "roles": []}, "x")
    with pytest.raises(PermissionError):
        hide_comment(COMMENT, {"id": 9, "roles": ["member"]})


def test_empty_text():
    with pytest.raises(ValueError):
        edit_comment(COMMENT, {"id": 7, "roles": []}, "  ")
