import pytest

CLAIM = Claim(4, "tim", "sales", 30000)


@pytest.mark.parametrize("person", [Person("mia", "sales", "manager", 50000), Person("con", "finance", "controller", 30000)])
def test_approval(person):
    assert may_approve(CLAIM, person), "this person may"
    assert approve(CLAIM, person) == Claim(4, "tim", "sales", 30000, "approved"), "the claim is approved"


def test_over_the_limit():
    person = Person("mia", "sales", "manager", 29999)
    assert not may_approve(CLAIM, person), "too much for this limit"
    with pytest.raises(PermissionError):
        approve(CLAIM, person)


def test_claim_that_is_settled():
    with pytest.raises(ValueError):
        approve(Claim(4, "tim", "sales", 1, "approved"), Person("mia", "sales", "manager", 50000))


def test_other_role_of_another_department():
    assert not may_approve(CLAIM, Person("zed", "legal", "clerk", 90000)), "has nothing to do with it"
