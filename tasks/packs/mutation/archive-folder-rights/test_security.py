import itertools

import pytest

N, R, W, M = Right.NONE, Right.READ, Right.WRITE, Right.MANAGE
CASES = {
    "refused by name below what a parent gives": ([("/", "ann", W), ("/a", "ann", N)], N),
    "less below than above": ([("/", "ann", M), ("/a", "ann", R)], R),
    "refused by name though the group may": ([("/a", "ann", N), ("/a", "@g", M)], N),
    "less by name than by the group": ([("/a", "ann", R), ("/a", "@g", W)], R),
    "one of two groups is refused": ([("/a", "@g", M), ("/a", "@h", N)], N),
    "the other of two groups is refused": ([("/a", "@g", N), ("/a", "@h", M)], N),
    "group refused below what the name has above": ([("/", "ann", M), ("/a", "@g", N)], N),
    "group has less below what the name has above": ([("/", "ann", M), ("/a", "@g", R)], R),
    "a group one is not in": ([("/a", "@other", M)], N),
    "somebody of a similar name": ([("/a", "anna", M), ("/a", "an", M), ("/a", "@ann", M)], N),
    "nothing set": ([], N),
    "set for a folder beside": ([("/ab", "ann", M)], N),
    "set for a folder below only": ([("/a/b", "ann", M)], N),
    "highest of the groups": ([("/a", "@g", R), ("/a", "@h", W)], W),
    "more below than above": ([("/", "ann", N), ("/a", "ann", W)], W),
}
NEEDED = {"get": R, "listing": R, "put": W, "make": W, "grant": M, "grant_self": M}


def archive_with(grants):
    archive = Archive("root")
    for path in ("/a", "/ab", "/a/b"):
        archive.make("root", path)
    archive.put("root", "/a", "doc", "words")
    for group, who in (("@g", "ann"), ("@h", "ann"), ("@other", "bob")):
        archive.join("root", group, who)
    for path, who, right in grants:
        archive.grant("root", path, who, right)
    return archive


def act(archive, action, user="ann", path="/a"):
    calls = {
        "get": lambda: archive.get(user, path, "doc"), "listing": lambda: archive.listing(user, path),
        "put": lambda: archive.put(user, path, "new", "text"), "make": lambda: archive.make(user, path + "/new"),
        "grant": lambda: archive.grant(user, path, "eve", M), "grant_self": lambda: archive.grant(user, path, user, M),
    }
    try:
        return calls[action]()
    except Exception as error:
        return error


@pytest.mark.parametrize("case", CASES)
def test_what_counts(case):
    grants, expected = CASES[case]
    archive = archive_with(grants)
    assert archive.right("ann", "/a") == expected, f"{case}: {archive.right('ann', '/a')!r}"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("action", NEEDED)
def test_every_call_keeps_to_it(case, action):
    grants, right = CASES[case]
    archive = archive_with(grants)
    result = act(archive, action)
    if right >= NEEDED[action]:
        assert not isinstance(result, Exception), f"{case}: {action} was refused: {result!r}"
        return
    assert isinstance(result, PermissionError), f"{case}: {action} was not refused: {result!r}"
    assert archive.right("eve", "/a") == N and archive.listing("root", "/a") == ["b/", "doc"], f"{action} was done"


def test_rights_below_follow_the_nearest():
    archive = archive_with([("/a", "ann", W), ("/a/b", "ann", N)])
    for action in ("put", "make", "listing", "get"):
        assert isinstance(act(archive, action, path="/a/b"), PermissionError), f"{action} in the refused folder"
    assert archive.listing("ann", "/a") == ["doc"], "the refused folder is shown"


def test_groups_are_filled_by_managers_of_the_root():
    archive = archive_with([("/a", "ann", M), ("/", "bob", W)])
    for user in ("ann", "bob", "eve", "", None, "@g"):
        with pytest.raises(PermissionError):
            archive.join(user, "@g", "eve")
    assert archive.join("root", "@g", "ann") == 1, "nobody was added to the group"


def test_strangers_do_not_learn_what_exists():
    archive = archive_with([("/a", "ann", N)])
    for path, user in itertools.product(("/a", "/a/none", "/none"), ("ann", "eve", "", None)):
        for action in NEEDED:
            assert isinstance(act(archive, action, user, path), PermissionError), f"{action} at {path} by {user!r}"


def test_name_of_a_group_is_no_member():
    archive = archive_with([("/a", "@other", W)])
    for user in ("ann", "other", "g"):
        assert isinstance(act(archive, "put", user), PermissionError), f"{user!r} used the right of a group"
