import re

import pytest


def test_shape():
    code = make_coupon("spring")
    assert re.fullmatch(r"SPRING(-[A-HJ-NP-Z2-9]{4}){3}", code), f"unexpected shape: {code}"


def test_number_of_groups():
    assert make_coupon("x1", groups=5).count("-") == 5, "five groups were asked for"


@pytest.mark.parametrize("campaign", ["", "two words", "a-b"])
def test_bad_campaign(campaign):
    with pytest.raises(ValueError):
        make_coupon(campaign)


def test_too_few_groups():
    with pytest.raises(ValueError):
        make_coupon("spring", groups=2)


def test_batch_is_distinct():
    batch = make_batch("fall", 20)
    assert len(batch) == len(set(batch)) == 20, "a batch holds different codes"
