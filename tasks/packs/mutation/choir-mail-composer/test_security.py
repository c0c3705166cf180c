import email

import pytest

NAMES = ["From", "To", "Subject", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"]
BREAKS = ["\r\n", "\n", "\r", "\r\n ", "\n\t", "\x0b", "\x0c", "\x85", "\u2028", "\x00", "\x1c"]


def composed(to=("ann@example.org",), subject="Hi", body="see you", sender="choir@example.org", **named):
    """The message as a server reads it; None where it is refused."""
    try:
        raw = MailComposer(sender).compose(list(to), subject, body, **named)
    except MailError:
        return None
    head, _, rest = raw.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        assert b"\n" not in line and b"\r" not in line, f"header injection: a bare line end in {line!r}"
        assert line.isascii() and line.decode().isprintable(), f"header injection: characters of control in {line!r}"
    return email.message_from_bytes(raw), rest


def check(found, extra=()):
    if found is not None:
        mail, _ = found
        assert sorted(mail.keys()) == sorted([*NAMES, *extra]), f"header injection: headers {mail.keys()}"
        assert mail["To"].count("@") == 1, f"header injection: recipients {mail['To']}"


@pytest.mark.parametrize("line_break", BREAKS)
@pytest.mark.parametrize("tail", ["Bcc: all@example.org", "", "Subject: other", "\r\nforged body"])
def test_subject_is_one_line(line_break, tail):
    found = composed(subject=f"Hi{line_break}{tail}")
    assert found is None, f"header injection by the subject with {line_break!r}"
    found = composed(subject=f"Hü{line_break}{tail}")
    check(found)
    assert found is None, f"header injection by an encoded subject with {line_break!r}"


@pytest.mark.parametrize("line_break", BREAKS)
def test_extra_value_is_one_line(line_break):
    for text in (f"a{line_break}Bcc: all@example.org", f"ü{line_break}Bcc: all@example.org", f"{line_break}x"):
        assert composed(extra={"X-Season": text}) is None, f"header injection by an extra value with {line_break!r}"
        assert composed(extra={"X-One": "1", "X-Two": text}) is None, "header injection by a later extra value"


@pytest.mark.parametrize("name", ["Bcc", "To", "From", "Cc", "bcc", "Content-Type", "X-A\r\nBcc", "X-A: 1\r\nBcc", "X-A:", "X-A b", "X-", "", "X_A", "xx-a", "X-Ä", "X-A\n", " X-A", "Reply-To", "AX-B", "X-" + "a" * 900])
def test_extra_names_are_only_such(name):
    assert composed(extra={name: "all@example.org"}) is None, f"header injection by the extra name {name!r}"
    assert composed(extra={"X-Good": "1", name: "all@example.org"}) is None, f"header injection by a later name {name!r}"


ADDRESSES = [
    "ann@example.org\r\nBcc: all@example.org",
    "ann@example.org\nBcc:all@example.org",
    "ann@example.org\r",
    "ann@example.org\n",
    "ann@example.org,all@example.org",
    "ann@example.org, all@example.org",
    "ann@example.org;all@example.org",
    "<ann@example.org>",
    "Ann<ann@example.org>",
    "ann@example.org(comment)",
    '"ann"@example.org',
    "ann@@example.org",
    "ann@example.org\x00",
    "ann@[127.0.0.1]",
    "-ann@example.org",
    "@all:ann@example.org",
    "ann@localhost",
    "\u00e4nn@example.org",
    "ann@example.org\u2028x",
    "ann",
    "",
    "group:ann@example.org,b@example.org;",
]


@pytest.mark.parametrize("text", ADDRESSES)
def test_addresses_are_single_plain_ones(text):
    assert composed(to=[text]) is None, f"header injection by the recipient {text!r}"
    assert composed(to=["ann@example.org", text]) is None, f"header injection by a later recipient {text!r}"
    assert composed(sender=text) is None, f"header injection by the sender {text!r}"
    if text:
        assert composed(reply_to=text) is None, f"header injection by the reply address {text!r}"


def test_number_and_length_are_limited():
    assert composed(to=["ann@example.org"] * 51) is None and composed(to=[]) is None, "limit of recipients bypassed"
    assert composed(to=["ann@example.org"] * 50) is not None, "fifty recipients are allowed"
    assert composed(subject="x" * 200) is not None, "two hundred characters are allowed"
    assert composed(subject="x" * 201) is None and composed(extra={"X-A": "x" * 201}) is None, "limit of values bypassed"


@pytest.mark.parametrize("body", ["a\nb", "a\rb", "a\r\nb", "\r\nBcc: all@example.org", "\n\nTo: x@example.org", "a\r\r\nb", "a\n\rb"])
def test_body_stays_in_the_body(body):
    found = composed(body=body)
    check(found)
    rest = found[1]
    assert b"\n" not in rest.replace(b"\r\n", b"") and b"\r" not in rest.replace(b"\r\n", b""), f"bare line ends in {rest!r}"


def test_long_encoded_subject_is_one_header():
    found = composed(subject="ü" * 200)
    check(found)
    assert found is not None, "a long subject is allowed"
