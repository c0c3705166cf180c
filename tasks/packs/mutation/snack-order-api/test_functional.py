def order(body):
    return create_app().test_client().post("/orders", json=body)


def test_price_of_an_order():
    answer = order({"table": 4, "lines": [{"sku": "tea", "quantity": 2}, {"sku": "cake", "quantity": 1}]})
    assert answer.status_code == 201, "a good order is taken"
    assert answer.get_json() == {"table": 4, "items": 3, "cents": 890}, "items and price are summed"


def test_unknown_sku():
    answer = order({"table": 4, "lines": [{"sku": "wine", "quantity": 1}]})
    assert answer.status_code == 400, "what is not on the card cannot be ordered"
    assert "error" in answer.get_json(), "the answer says why"


def test_no_json():
    answer = create_app().test_client().post("/orders", data="tea please")
    assert answer.status_code == 400, "text is no order"


def test_table_far_away():
    assert order({"table": 99, "lines": [{"sku": "tea", "quantity": 1}]}).status_code == 400, "no such table"
