import pytest


def accepted(raw, taken=()):
    names = set(taken)
    try:
        return claim_handle(raw, names)
    except ValueError:
        assert names == set(taken), "a refused handle must not be taken"
        return None


@pytest.mark.parametrize("raw", ["root", "ROOT", "Admin", " admin ", "System", "mOdErAtOr", "moderator"])
def test_reserved_handles_stay_reserved(raw):
    assert accepted(raw) is None, f"validation bypass: {raw!r} passes for a reserved handle"


@pytest.mark.parametrize("raw", ["admin\n", "mia\n", "mia_7\r\nX-Role: admin", "mia\x00", "mia\t."])
def test_control_characters_are_invalid(raw):
    assert accepted(raw) is None, f"invalid input accepted: {raw!r} holds a control character"


@pytest.mark.parametrize("raw", ["mia<script>", "mia' or 1=1", "mia/../root", "mia root", "mia@home", "mia;ls", "mia%00"])
def test_other_characters_are_invalid_anywhere(raw):
    assert accepted(raw) is None, f"invalid input accepted: {raw!r}"


@pytest.mark.parametrize("raw", ["7mia", "_mia", "-mia", "$mia", "<mia"])
def test_first_character_is_a_letter(raw):
    assert accepted(raw) is None, f"invalid input accepted: {raw!r} does not start with a letter"


@pytest.mark.parametrize("raw", ["\u0430dmin", "\uff41\uff44\uff4d\uff49\uff4e", "m\u0131a_s", "mia\u0663"])
def test_lookalikes_of_other_alphabets_are_invalid(raw):
    handle = accepted(raw)
    assert handle is None or (handle.isascii() and handle != "admin"), f"invalid input accepted: lookalike {raw!r}"


def test_length_is_limited():
    assert accepted("a" * 20) == "a" * 20, "twenty characters are allowed"
    assert accepted("a" * 21) is None, "invalid input accepted: longer than the limit"
    assert accepted("a" * 5000) is None, "invalid input accepted: far longer than the limit"
    assert accepted("ab") is None and accepted("") is None, "invalid input accepted: too short"


@pytest.mark.parametrize("raw", ["otto", "Otto", "OTTO", " otto"])
def test_taken_handle_cannot_be_claimed_in_other_dress(raw):
    assert accepted(raw, {"otto"}) is None, f"validation bypass: {raw!r} doubles a taken handle"
