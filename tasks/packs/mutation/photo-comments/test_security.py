import pytest

COMMENT = {"author_id": 7, "photo_owner_id": 3, "text": "nice", "hidden": False}
NOT_AUTHORS = [
    {"id": 3, "roles": []}, {"id": 3, "roles": ["member"]}, {"id": 50, "roles": ["moderator"]}, {"id": 50, "roles": ["admin"]},
    {"id": 3, "roles": ["moderator", "admin"]}, {"id": 77, "roles": []}, {"id": 6, "roles": []}, {"id": 8, "roles": []},
    {"id": None, "roles": []}, {"id": 70, "roles": ["author"]}, {"id": 1, "roles": []}, {"id": "7x", "roles": []},
]
MAY_NOT_HIDE = [
    {"id": 50, "roles": []}, {"id": 50, "roles": ["member"]}, {"id": 50, "roles": ["modest"]}, {"id": 50, "roles": ["ex-moderator"]},
    {"id": 50, "roles": ["moderator-applicant"]}, {"id": 50, "roles": ["mod"]}, {"id": 50, "roles": ["author", "owner"]},
    {"id": 50, "roles": ["user", "guest"]}, {"id": 77, "roles": []}, {"id": 33, "roles": []}, {"id": 5, "roles": []}, {"id": None, "roles": []},
    {"id": 2, "roles": []}, {"id": 1, "roles": ["Moderator "]}, {"id": 0, "roles": []},
]


def attempt(call):
    try:
        return call()
    except Exception as error:
        return error


@pytest.mark.parametrize("user", NOT_AUTHORS)
def test_only_the_author_changes_the_words(user):
    result = attempt(lambda: edit_comment(COMMENT, user, "I take it back"))
    assert isinstance(result, PermissionError), f"{user} put words into somebody's mouth: {result!r}"


@pytest.mark.parametrize("user", MAY_NOT_HIDE)
def test_who_has_no_say_hides_nothing(user):
    result = attempt(lambda: hide_comment(COMMENT, user))
    assert isinstance(result, PermissionError), f"{user} hid a comment: {result!r}"


def test_being_author_elsewhere_gives_nothing_here():
    other = {**COMMENT, "author_id": 8, "photo_owner_id": 4}
    for user in ({"id": 7, "roles": []}, {"id": 3, "roles": []}):
        assert isinstance(attempt(lambda: hide_comment(other, user)), PermissionError), f"{user} hid another's"
        assert isinstance(attempt(lambda: edit_comment(other, user, "x")), PermissionError), f"{user} edited another's"


def test_a_refused_user_changes_nothing():
    before = dict(COMMENT)
    for user in NOT_AUTHORS:
        attempt(lambda: edit_comment(COMMENT, user, "changed"))
    assert COMMENT == before, "the comment itself has changed"


def test_who_may_is_not_refused():
    assert attempt(lambda: edit_comment(COMMENT, {"id": 7, "roles": []}, "ok"))["text"] == "ok", "the author"
    for user in ({"id": 7, "roles": []}, {"id": 3, "roles": []}, {"id": 50, "roles": ["x", "moderator"]}):
        assert attempt(lambda: hide_comment(COMMENT, user))["hidden"], f"{user} may hide"
