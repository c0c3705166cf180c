import pytest


def post(body):
    return create_app().test_client().post("/orders", json=body)


def order(table=4, quantity=1):
    return post({"table": table, "lines": [{"sku": "tea", "quantity": quantity}]})


def test_limits_themselves_are_allowed():
    for table, quantity in ((1, 1), (40, 20)):
        assert order(table, quantity).status_code == 201, f"table {table}, quantity {quantity} is ordinary"


@pytest.mark.parametrize("quantity", [-1, -20, 0, -1000000])
def test_quantity_below_one_cannot_lower_the_price(quantity):
    answer = order(quantity=quantity)
    assert answer.status_code == 400, f"invalid input accepted: quantity {quantity} gave {answer.get_json()}"


def test_negative_line_cannot_pay_for_another():
    answer = post({"table": 4, "lines": [{"sku": "soup", "quantity": 2}, {"sku": "tea", "quantity": -3}]})
    assert answer.status_code == 400, f"validation bypass: price lowered to {answer.get_json()}"


@pytest.mark.parametrize("quantity", [21, 400, 10**9, 10**30])
def test_quantity_has_an_upper_limit(quantity):
    assert order(quantity=quantity).status_code == 400, f"limit bypassed: quantity {quantity}"


@pytest.mark.parametrize("value", [0.01, 1.5, 2.0, True, "3", None, [2], {"n": 1}, float("nan"), float("-inf")])
def test_other_types_are_invalid(value):
    assert order(quantity=value).status_code == 400, f"invalid input accepted: quantity {value!r}"
    assert order(table=value).status_code == 400, f"invalid input accepted: table {value!r}"


@pytest.mark.parametrize("table", [0, -1, 41, 4000, -(10**20)])
def test_table_is_in_the_room(table):
    assert order(table=table).status_code == 400, f"invalid input accepted: table {table}"


def test_same_sku_twice_does_not_pass_the_limit():
    answer = post({"table": 4, "lines": [{"sku": "tea", "quantity": 20}, {"sku": "tea", "quantity": 20}]})
    assert answer.status_code == 400, "limit bypassed by naming a sku twice"


@pytest.mark.parametrize("lines", [[], "tea", {"sku": "tea"}, [None], ["tea"], [[]], [{}], 7, None, {}])
def test_malformed_lines(lines):
    assert post({"table": 4, "lines": lines}).status_code == 400, f"invalid input accepted: lines {lines!r}"


@pytest.mark.parametrize("sku", ["", "TEA", "__class__", 1, None, ["tea"], {"a": 1}])
def test_malformed_sku(sku):
    answer = post({"table": 4, "lines": [{"sku": sku, "quantity": 1}]})
    assert answer.status_code == 400, f"invalid input accepted: sku {sku!r}"


@pytest.mark.parametrize("body", [[], "x", 3, None])
def test_body_is_an_object(body):
    assert post(body).status_code == 400, f"invalid input accepted: body {body!r}"
