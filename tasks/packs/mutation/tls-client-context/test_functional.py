import ssl

import pytest


def test_versions():
    assert client_context().minimum_version == ssl.TLSVersion.TLSv1_3, "1.3 is asked for"
    assert client_context(modern=False).minimum_version == ssl.TLSVersion.TLSv1_2, "1.2 will do"


def test_it_is_a_client():
    client = client_context().wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="x.example")
    assert client.server_side is False, "the context is for clients"


def test_missing_file(tmp_path):
    with pytest.raises(ConfigError):
        client_context(str(tmp_path / "gone.pem"))


def test_file_without_certificates(tmp_path):
    path = tmp_path / "empty.pem"
    path.write_text("nothing here")
    with pytest.raises(ConfigError):
        client_context(str(path))
