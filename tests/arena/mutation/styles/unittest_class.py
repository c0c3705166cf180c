# kills choir-mail-composer helper_uncalled recipient
# kills choir-mail-composer condition_dropped if len(text) > MAX_VALUE:
import unittest

from target_module import MailComposer, MailError

BAD = (
    "a@example.org\r\nBcc: all@example.org",
    "a@example.org\nX-Spam: no",
    "a@example.org\r\n\r\nhi",
)


class TestHeaders(unittest.TestCase):
    def setUp(self):
        self.composer = MailComposer("me@example.org")

    def test_recipients(self):
        for bad in BAD:
            with self.subTest(bad=bad), self.assertRaises(MailError):
                self.composer.compose([bad], "hi", "text")

    def test_subject(self):
        for bad in ("a\r\nBcc: all@example.org", "a\nb"):
            with self.subTest(bad=bad):
                self.assertRaises(MailError, self.composer.compose, ["a@example.org"], bad, "text")
