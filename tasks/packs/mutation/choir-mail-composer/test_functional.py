import email
import email.policy

import pytest


def composed(*arguments, **named):
    raw = MailComposer("choir@example.org").compose(*arguments, **named)
    return email.message_from_bytes(raw, policy=email.policy.default)


def test_whole_message():
    mail = composed(["ann@example.org", "bo.b+x@mail.example.com"], "Rehearsal", "Monday at 7\nBring scores", reply_to="lead@example.org")
    assert mail["From"] == "choir@example.org" and mail["Reply-To"] == "lead@example.org", "the sender"
    assert mail["To"] == "ann@example.org, bo.b+x@mail.example.com", "all recipients"
    assert mail["Subject"] == "Rehearsal", "the subject"
    assert mail.get_content().splitlines() == ["Monday at 7", "Bring scores"], "the body"


def test_beyond_ascii():
    mail = composed(["ann@example.org"], "Chorprobe fällt aus", "Grüße")
    assert mail["Subject"] == "Chorprobe fällt aus" and mail.get_content().strip() == "Grüße", "umlauts"


def test_extra_headers():
    mail = composed(["ann@example.org"], "Hi", "x", extra={"X-Choir-Season": "2024 b"})
    assert mail["X-Choir-Season"] == "2024 b", "extra headers"


@pytest.mark.parametrize("to", [[], ["ann"], ["ann@example.org"] * 51, ["a b@example.org"]])
def test_recipients(to):
    with pytest.raises(MailError):
        composed(to, "Hi", "x")
