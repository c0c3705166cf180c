import pytest

CLAIM = Claim(4, "tim", "sales", 30000)
REFUSED = {
    "manager of another department": Person("mia", "legal", "manager", 10**9),
    "manager of a department of a similar name": Person("mia", "sales-north", "manager", 10**9),
    "manager of a department that begins so": Person("mia", "sale", "manager", 10**9),
    "manager of no department": Person("mia", "", "manager", 10**9),
    "colleague": Person("ann", "sales", "clerk", 10**9),
    "colleague without role": Person("ann", "sales", "", 10**9),
    "assistant of the manager": Person("ann", "sales", "manager-assistant", 10**9),
    "former controller": Person("ann", "finance", "ex-controller", 10**9),
    "user": Person("ann", "sales", "user", 10**9),
    "guest": Person("ann", "sales", "guest", 10**9),
    "manager over the limit": Person("mia", "sales", "manager", 29999),
    "controller over the limit": Person("con", "finance", "controller", 29999),
    "controller without a limit": Person("con", "finance", "controller"),
    "claimant who manages": Person("tim", "sales", "manager", 10**9),
    "claimant who controls": Person("tim", "finance", "controller", 10**9),
    "claimant": Person("tim", "sales", "clerk", 10**9),
}


def outcome(claim, person):
    try:
        return approve(claim, person).status
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("who", REFUSED)
def test_refused(who):
    assert outcome(CLAIM, REFUSED[who]) == "PermissionError", f"the {who} approved the claim"
    assert may_approve(CLAIM, REFUSED[who]) is False, f"the {who} is told to be an approver"


@pytest.mark.parametrize("status", ["approved", "rejected", "paid"])
def test_refusal_does_not_depend_on_the_status(status):
    claim = Claim(4, "tim", "sales", 30000, status)
    for who, person in REFUSED.items():
        assert outcome(claim, person) == "PermissionError", f"the {who} learns how the claim stands"


@pytest.mark.parametrize("cents, status", [(29999, "approved"), (30000, "approved"), (30001, "PermissionError"), (10**9, "PermissionError")])
@pytest.mark.parametrize("role, department", [("manager", "sales"), ("controller", "finance")])
def test_limit_is_kept(cents, status, role, department):
    person = Person("mia", department, role, 30000)
    assert outcome(Claim(4, "tim", "sales", cents), person) == status, f"{cents} by a {role} with limit 30000"


def test_two_claimants_approve_each_others_but_not_their_own():
    ann, bob = Person("ann", "sales", "manager", 10**6), Person("bob", "sales", "manager", 10**6)
    claims = {p: Claim(1, p.id, "sales", 5) for p in (ann, bob)}
    for claimant, claim in claims.items():
        for person in claims:
            expected = "PermissionError" if person is claimant else "approved"
            assert outcome(claim, person) == expected, f"{person.id} on the claim of {claimant.id}"
