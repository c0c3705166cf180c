import pytest


def test_reading():
    entries = read_entries(["ada, 3", "", "bob,1", "ada,2"])
    assert entries == {"ada": 5, "bob": 1}, f"tickets are added up: {entries}"


def test_everybody_wins_when_prizes_abound():
    winners = draw_winners({"ada": 1, "bob": 2, "cy": 0}, 10)
    assert sorted(winners) == ["ada", "bob"], "all with tickets win, each once"


def test_number_of_winners():
    winners = draw_winners({f"p{i}": i + 1 for i in range(30)}, 4)
    assert len(winners) == len(set(winners)) == 4, "four different winners"


def test_tickets_count():
    wins = sum(draw_winners({"few": 1, "many": 999}, 1) == ["many"] for _ in range(50))
    assert wins >= 45, f"who holds nearly all tickets wins nearly always, not {wins} of 50"


@pytest.mark.parametrize("entries, prizes", [({"a": -1}, 1), ({"a": 1}, -1)])
def test_negative_numbers(entries, prizes):
    with pytest.raises(ValueError):
        draw_winners(entries, prizes)
