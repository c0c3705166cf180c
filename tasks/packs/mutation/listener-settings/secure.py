from __future__ import annotations

import ssl
import tomllib
from dataclasses import dataclass, fields
from typing import Any

VERSIONS = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}
MIN_STRENGTH_BITS = 128
DEFAULT_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
FORWARD_SECRET = ("kx-ecdhe", "kx-dhe", "kx-any")


class SettingsError(ValueError):
    """Settings that cannot be used, with the reason."""


@dataclass(frozen=True)
class Settings:
    min_version: str = "1.2"
    ciphers: str = DEFAULT_CIPHERS
    alpn: tuple[str, ...] = ()
    min_bits: int = MIN_STRENGTH_BITS


def read_settings(text: str) -> Settings:
    try:
        table = tomllib.loads(text).get("tls", {})
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"not TOML: {error}") from error
    unknown = set(table) - {field.name for field in fields(Settings)}
    if unknown:
        raise SettingsError(f"unknown: {', '.join(sorted(unknown))}")
    values = dict(table, alpn=tuple(table.get("alpn", ())))
    settings = Settings(**values)
    if settings.min_version not in VERSIONS:
        raise SettingsError(f"min_version is one of {', '.join(VERSIONS)}")
    if not MIN_STRENGTH_BITS <= settings.min_bits <= 256:
        raise SettingsError("min_bits is 128 to 256")
    return settings


def check_cipher(cipher: dict[str, Any], min_bits: int) -> None:
    if cipher["protocol"] != "TLSv1.3" and cipher["strength_bits"] < min_bits:
        raise SettingsError(f"{cipher['name']}: too few bits")
    if cipher["auth"] == "auth-null":
        raise SettingsError(f"{cipher['name']}: the server is not proven")
    if cipher["kea"] not in FORWARD_SECRET:
        raise SettingsError(f"{cipher['name']}: no forward secrecy")


def build_context(settings: Settings) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = VERSIONS[settings.min_version]
    try:
        context.set_ciphers(settings.ciphers)
    except ssl.SSLError as error:
        raise SettingsError("OpenSSL does not take this cipher list") from error
    if context.security_level < 2:
        raise SettingsError("the security level is too low")
    for cipher in context.get_ciphers():
        check_cipher(cipher, settings.min_bits)
    if settings.alpn:
        context.set_alpn_protocols(list(settings.alpn))
    return context


def summary(context: ssl.SSLContext) -> dict[str, Any]:
    names = sorted(cipher["name"] for cipher in context.get_ciphers())
    return {"min_version": context.minimum_version.name, "ciphers": names}
