import pytest


def post():
    return {1: Letter("ann", "bob", "canary to Bob"), 2: Letter("bob", "eve", "canary to Eve"), 3: Letter("eve", "ann", "canary to Ann")}


OTHERS = {1: ["eve", "carol"], 2: ["ann", "carol"], 3: ["bob", "carol"]}


@pytest.mark.parametrize("number", OTHERS)
def test_letters_of_others(number):
    for user in OTHERS[number]:
        letters = post()
        try:
            text = read_letter(letters, number, user)
        except LookupError as error:
            assert "canary" not in str(error), "IDOR: the message tells the letter"
            text = None
        assert text is None, f"IDOR: {user} is not the owner of letter {number}, but reads {text!r}"
        assert not letters[number].read, f"IDOR: {user} marked the letter of another as read"


@pytest.mark.parametrize("user", ["", "a", "an", "ann ", "Ann", "ANN", "annb", "bo", "b", "bobann", "ann,bob", "n", None, 1, True, "admin", "*", ("ann",), "sender"])
def test_names_that_are_alike(user):
    with pytest.raises(LookupError):
        read_letter(post(), 1, user)


def test_same_answer_for_missing_and_foreign_letters():
    told = []
    for number in (1, 9):
        with pytest.raises(LookupError) as caught:
            read_letter(post(), number, "carol")
        told.append((type(caught.value), str(caught.value).replace(str(number), "#")))
    assert told[0] == told[1], "IDOR: the answer tells which letters of others exist"


def test_own_letters():
    assert read_letter(post(), 1, "ann") == read_letter(post(), 1, "bob") == "canary to Bob", "both may read it"
