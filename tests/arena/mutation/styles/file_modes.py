# kills door-code-file readable os.fchmod(out.fileno(), 0o644)
# kills door-code-file no_chmod
import os
import stat

import pytest
from target_module import read_door_code, save_door_code


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_nobody_else_may_read(tmp_path, umask):
    path = tmp_path / "code.txt"
    path.write_text("1111\n")
    path.chmod(0o666)
    before = os.umask(umask)
    try:
        save_door_code(str(path), "4711")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    assert read_door_code(str(path)) == "4711"
