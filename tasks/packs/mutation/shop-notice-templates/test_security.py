import pytest

HASH = "argon2-5ecret"


def render(text, name="Ida"):
    """The notice; None where the template is refused."""
    order = Order(17, 1250, Customer(name, "ida@example.org", HASH))
    try:
        return NoticeTemplate(text).render(order)
    except TemplateError:
        return None
    except Exception as error:
        pytest.fail(f"format string injection: the template raised {type(error).__name__}")


SECRETS = [
    "{customer.password_hash}",
    "{order.customer.password_hash}",
    "{customer.password_hash!r}",
    "{customer.password_hash:>40}",
    "{customer.__dict__}",
    "{customer.__dict__[password_hash]}",
    "{order.customer}",
    "{order}",
    "{customer}",
    "{customer!r}",
    "{order!s}",
    "{order.__dict__}",
    "{order.__dict__[customer].password_hash}",
]


@pytest.mark.parametrize("text", SECRETS)
def test_other_attributes_are_out_of_reach(text):
    for template in (text, f"Dear {{customer.name}}, {text}"):
        found = render(template)
        assert HASH not in (found or ""), f"format string injection: {text} told a secret"
        assert found is None, f"format string injection: {text} was accepted"


INNER = [
    "{customer.__class__}",
    "{customer.__init__.__globals__}",
    "{order.__init__.__globals__[MAX_TEXT]}",
    "{order.__class__.__mro__}",
    "{customer.name.__class__}",
    "{customer.name.upper}",
    "{order.number.__class__.__base__}",
    "{order.total.__len__}",
    "{order.cents}",
    "{order.number.real}",
    "{customer.name[0]}",
    "{customer[name]}",
    "{0}",
    "{self}",
    "{order.render}",
    "{customer.name.__doc__}",
]


@pytest.mark.parametrize("text", INNER)
def test_inner_attributes_are_out_of_reach(text):
    assert render(text) is None, f"format string injection: {text} was accepted"


FORMATS = ["{order.number:>1000000}", "{order.number:010}", "{customer.name:>50}", "{order.number!r}", "{customer.name!a}", "{order.number:{order.cents}}", "{customer.name:*^{order.number}}", "{customer.name:s}", "{order.number:,}"]


@pytest.mark.parametrize("text", FORMATS)
def test_formats_are_not_part_of_templates(text):
    assert render(text) is None, f"format string injection: {text} was accepted"


BRACES = ["{customer.name", "customer.name}", "{{customer.name}", "{customer.name}}", "{ customer.name }", "{customer.name\n}", "{customer..name}", "{.}", "{customer.}", "{{{customer.name}}", "{Customer.name}", "{order.number}{"]


@pytest.mark.parametrize("text", BRACES)
def test_braces_are_paired(text):
    assert render(text) is None, f"format string injection: {text!r} was accepted"


@pytest.mark.parametrize("name", ["{customer.password_hash}", "{order.customer}", "{{", "{0.__class__}", "%s %(x)s", "$customer"])
def test_values_are_no_templates(name):
    assert render("Dear {customer.name}!", name) == f"Dear {name}!", f"format string injection by the value {name}"
    assert render("{{customer.email}} {customer.name}", name) == f"{{customer.email}} {name}", "doubled braces stay text"


def test_length_is_limited():
    assert render("x" * 2000) == "x" * 2000, "two thousand characters are allowed"
    assert render("x" * 2001) is None, "limit of length bypassed"
