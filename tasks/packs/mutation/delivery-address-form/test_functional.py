def filled(session, **fields):
    return {**open_form(session), **fields}


def test_address_is_kept():
    session = {}
    assert submit_form(session, filled(session, street="Elm 4", town="Bath", postcode="BA1")), "a shown form is taken"
    assert session["address"] == {"street": "Elm 4", "town": "Bath", "postcode": "BA1"}, "the three fields"


def test_form_shows_what_is_kept():
    session = {}
    assert open_form(session)["town"] == "", "nothing at first"
    submit_form(session, filled(session, street="Elm 4", town="Bath", postcode="BA1"))
    assert open_form(session)["town"] == "Bath", "the kept value is shown"


def test_two_tabs_work():
    session = {}
    first, second = open_form(session), open_form(session)
    assert submit_form(session, {**second, "street": "B", "town": "T", "postcode": "1"}), "the second tab"
    assert submit_form(session, {**first, "street": "A", "town": "T", "postcode": "1"}), "the first tab still works"
