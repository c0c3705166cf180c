import pytest

FRESH = {"player": {"alias": "", "team": ""}, "answers": {}, "notes": "", "score": 0, "status": "open"}
ATTACKS = [
    {"score": 100}, {"status": "graded"}, {"status": "open", "score": 5}, {"role": "admin"}, {"is_admin": True}, {"balance": 1},
    {"player": {"is_admin": True}}, {"player": {"is_admin": "True"}}, {"player": {"role": "admin"}}, {"player": {"id": 1}}, {"player": {"score": 3}}, {"player": {"password": "x"}},
    {"player": {"alias": {"x": "y"}}}, {"player": {"team": 5}}, {"player": "ann"}, {"player": None}, {"player": ["alias"]},
    {"answers": {"score": "9"}}, {"answers": {"1": {"points": 9}}}, {"answers": {"1": True}}, {"answers": {"correct": "1"}}, {"answers": {"": "x"}}, {"answers": {1: "x"}}, {"answers": {None: "x"}},
    {"answers": {"1x": "x"}}, {"answers": {"-1": "x"}}, {"answers": {"__class__": "x"}}, {"answers": []}, {"answers": "1"}, {"notes": {"a": 1}}, {"notes": 7},
    {"__class__": "x"}, {"player": {"__proto__": "x"}}, {"answers": {"is_admin": "True"}}, {"answers": {"role": "admin"}}, {"player": {"_x": "1"}},
]


def attempt(data, store=None):
    store = store or SheetStore()
    number = store.open_sheet()
    try:
        store.merge(number, data)
    except ValueError:
        return store.sheet(number)
    return store.sheet(number)


@pytest.mark.parametrize("data", ATTACKS, ids=str)
def test_browsers_set_nothing_but_the_players_entries(data):
    result = attempt(data)
    assert result == FRESH, f"{data} made {result}"


@pytest.mark.parametrize("data", ATTACKS, ids=str)
def test_what_is_the_players_is_taken_beside(data):
    mixed = {**{"notes": "n"}, **data}
    result = attempt(mixed)
    expected = {**FRESH, "notes": "n" if mixed["notes"] == "n" else ""}
    assert result == expected, f"{mixed} made {result}"


def test_player_entries_beside_bad_ones():
    result = attempt({"player": {"alias": "a", "role": "admin"}, "answers": {"1": "x", "score": "9"}, "score": 4})
    assert result == {**FRESH, "player": {"alias": "a", "team": ""}, "answers": {"1": "x"}}, f"it became {result}"


def test_a_sheet_does_not_spoil_the_next():
    store = SheetStore()
    for data in ATTACKS:
        attempt(data, store)
    assert attempt({}, store) == FRESH, "a new sheet begins with what others have sent"


def test_helpers_keep_to_their_entries():
    sheet = attempt({"player": {"alias": "a", "team": "t", "captain": "a"}})
    assert set(sheet["player"]) == {"alias", "team"}, f"the player has {sheet['player']}"


def test_graded_sheets_cannot_be_reopened():
    store = SheetStore()
    store.open_sheet()
    store.grade(1, 2)
    with pytest.raises(ValueError):
        store.merge(1, {"status": "open", "score": 50})
    assert store.sheet(1) == {**FRESH, "score": 2, "status": "graded"}, "the graded sheet has changed"
