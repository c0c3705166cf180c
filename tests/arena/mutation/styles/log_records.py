# kills login-audit uncleaned
# kills login-audit only_newlines
import logging

import pytest
from target_module import note_login


@pytest.mark.parametrize("evil", ["eve\nlogin accepted: user=root", "eve\r\nfake", "eve\rfake"])
def test_one_record_is_one_line(caplog, evil):
    with caplog.at_level(logging.INFO, logger="audit"):
        note_login(evil, "10.0.0.1", False)
    assert len(caplog.records) == 1
    assert len(caplog.records[0].getMessage().splitlines()) == 1
