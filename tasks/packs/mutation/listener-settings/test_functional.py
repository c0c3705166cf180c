import ssl

import pytest


def test_defaults():
    settings = read_settings("")
    assert settings.min_version == "1.2" and settings.alpn == (), "defaults"
    assert isinstance(build_context(settings), ssl.SSLContext), "a context is made"


def test_settings_are_used():
    settings = read_settings('[tls]\nmin_version = "1.3"\nciphers = "ECDHE+AESGCM"\nalpn = ["h2"]')
    told = summary(build_context(settings))
    assert told["min_version"] == "TLSv1_3", "the version is set"
    assert "ECDHE-RSA-AES256-GCM-SHA384" in told["ciphers"], "the ciphers are set"
    assert told["ciphers"] == sorted(told["ciphers"]), "names are sorted"


@pytest.mark.parametrize("text", ["[tls", '[tls]\ncolour = "red"', '[tls]\nmin_version = "9"'])
def test_bad_settings(text):
    with pytest.raises(SettingsError):
        read_settings(text)


def test_unknown_cipher():
    with pytest.raises(SettingsError):
        build_context(read_settings('[tls]\nciphers = "NOTHING-LIKE-IT"'))
