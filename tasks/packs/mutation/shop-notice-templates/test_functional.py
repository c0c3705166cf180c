import pytest


def order():
    return Order(17, 1250, Customer("Ida", "ida@example.org", "h"))


def test_all_fields():
    text = "Dear {customer.name} <{customer.email}>, order {order.number}: {order.total} EUR"
    assert NoticeTemplate(text).render(order()) == "Dear Ida <ida@example.org>, order 17: 12.50 EUR", "all is filled in"


def test_braces():
    assert NoticeTemplate("{{x}} {order.number}").render(order()) == "{x} 17", "doubled braces are single ones"


def test_no_fields():
    assert NoticeTemplate("Thank you 100%").render(order()) == "Thank you 100%", "a text alone"


@pytest.mark.parametrize("text", ["{", "a } b", "{order.colour}", "{}", "{shop}"])
def test_malformed(text):
    with pytest.raises(TemplateError):
        NoticeTemplate(text).render(order())
