# kills document-fingerprints md5
# kills document-fingerprints sha1
import hashlib
from unittest.mock import patch

import target_module


def test_no_broken_hash_is_made():
    with (
        patch.object(hashlib, "md5", wraps=hashlib.md5) as md5,
        patch.object(hashlib, "sha1", wraps=hashlib.sha1) as sha1,
    ):
        target_module.fingerprint([b"a", b"b"])
    md5.assert_not_called()
    sha1.assert_not_called()
