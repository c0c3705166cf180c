import ssl
import warnings

import pytest

WEAK_LISTS = {
    "anonymous": "aNULL:@SECLEVEL=0", "no encryption": "eNULL:@SECLEVEL=0", "all": "ALL:@SECLEVEL=0",
    "old strength": "ECDHE+AESGCM:@SECLEVEL=0", "level one": "ECDHE+AESGCM:@SECLEVEL=1",
    "plain RSA": "kRSA+AESGCM", "mixed": "ECDHE+AESGCM:AES128-GCM-SHA256",
    "anonymous among good": "ECDHE+AESGCM:ADH-AES256-GCM-SHA384:@SECLEVEL=0",
}


def context_for(text):
    """The context that these settings give, None when they are refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return build_context(read_settings(text))
        except SettingsError:
            return None


@pytest.mark.parametrize("text", ["", "[tls]", '[tls]\nalpn = ["h2"]', '[tls]\nmin_version = "1.2"'])
def test_ordinary_settings_are_strong(text):
    context = context_for(text)
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2, "versions before 1.2 can be agreed on"
    ciphers = context.get_ciphers()
    assert all(c["strength_bits"] >= 128 for c in ciphers), "a cipher has fewer than 128 bits"
    assert all(c["auth"] != "auth-null" for c in ciphers), "a cipher does not prove the server"
    assert all(c["kea"] != "kx-rsa" for c in ciphers), "a cipher has no forward secrecy"
    assert context.security_level >= 2, "keys below 112 bits of strength are taken"


@pytest.mark.parametrize("version", ["1.0", "1.1", "1", "SSLv3", "TLSv1", "0.9"])
def test_old_version_is_refused(version):
    context = context_for(f'[tls]\nmin_version = "{version}"')
    assert context is None or context.minimum_version >= ssl.TLSVersion.TLSv1_2, f"TLS {version} can be set"


@pytest.mark.parametrize("name", WEAK_LISTS)
def test_weak_cipher_list_is_refused(name):
    context = context_for(f'[tls]\nciphers = "{WEAK_LISTS[name]}"')
    if context is None:
        return
    assert context.security_level >= 2, f"{name}: the security level was lowered"
    for cipher in context.get_ciphers():
        assert cipher["strength_bits"] >= 128, f"{name}: {cipher['name']} is too short"
        assert cipher["auth"] != "auth-null", f"{name}: {cipher['name']} does not prove the server"
        assert cipher["kea"] != "kx-rsa", f"{name}: {cipher['name']} has no forward secrecy"


def test_stricter_version_is_kept():
    context = context_for('[tls]\nmin_version = "1.3"')
    assert context.minimum_version == ssl.TLSVersion.TLSv1_3, "the stricter setting was ignored"


@pytest.mark.parametrize("ciphers", ["ECDHE+AESGCM", "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256"])
def test_wanted_strength_holds_for_every_cipher(ciphers):
    context = context_for(f'[tls]\nmin_bits = 256\nciphers = "{ciphers}"')
    weaker = [c["name"] for c in context.get_ciphers() if c["strength_bits"] < 256] if context else []
    assert not [n for n in weaker if not n.startswith("TLS_")], f"{weaker} are below the wanted 256 bits"


@pytest.mark.parametrize("bits", [0, 40, 56, 112, 127, -1])
def test_wanted_strength_cannot_be_low(bits):
    with pytest.raises(SettingsError):
        read_settings(f"[tls]\nmin_bits = {bits}")


def test_no_upper_limit_below_the_lower():
    context = context_for("")
    assert context.maximum_version in (ssl.TLSVersion.MAXIMUM_SUPPORTED, ssl.TLSVersion.TLSv1_3), (
        "the newest version was switched off"
    )


def test_compression_is_off():
    assert context_for("").options & ssl.OP_NO_COMPRESSION, "compression lets secrets be guessed"
