import pytest

ATTACKS = [
    {"role": "admin"}, {"role": "staff", "nickname": "Eve"}, {"balance": 10**6}, {"id": 1}, {"is_admin": True}, {"password": "x"},
    {"__class__": dict}, {"__dict__": {"id": 1}}, {"Role": "admin"}, {"role ": "admin"}, {"_role": "admin"}, {"is_staff": True},
]


def attempt(data):
    member = Member(7, "Eve", phone="1")
    try:
        update_profile(member, data)
    except Exception as error:
        return member, type(error).__name__
    return member, ""


@pytest.mark.parametrize("data", ATTACKS, ids=str)
def test_a_form_sets_nothing_else(data):
    member, _ = attempt(data)
    assert type(member) is Member and (member.id, member.role, member.balance) == (7, "member", 0), f"{data} made {member}"


@pytest.mark.parametrize("data", ATTACKS, ids=str)
def test_a_form_adds_nothing(data):
    member, _ = attempt(data)
    extra = set(vars(member)) - {"id", "nickname", "phone", "newsletter", "role", "balance"}
    assert not extra, f"{data} added {extra}"


def test_what_belongs_to_the_form_is_taken_beside():
    for data in ATTACKS:
        member, raised = attempt({**data, "phone": "2", "nickname": "Evi"})
        assert raised or (member.phone, member.nickname) == ("2", "Evi"), f"the form is lost beside {data}"
        assert (member.role, member.balance, member.id) == ("member", 0, 7), f"{data} came along with the form"


def test_repeated_forms_do_not_add_up():
    member = Member(7, "Eve")
    for data in ({"nickname": "role"}, {"role": "admin"}, {"nickname": "Eve", "balance": 5}):
        update_profile(member, data)
    assert member == Member(7, "Eve"), f"after several forms: {member}"


def test_methods_are_not_replaced():
    member = update_profile(Member(7, "Eve"), {"__init__": 1, "__eq__": 2, "__repr__": 3})
    assert not {"__init__", "__eq__", "__repr__"} & set(vars(member)), "methods were replaced by the form"
