"""Tokens for the gate: issued and checked."""

import base64
import binascii
import hashlib
import hmac
import json
import re

ISSUER = "allotment"
LASTS = 24
PART = re.compile(r"[A-Za-z0-9_-]+")


def _encoded(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _json(value):
    return _encoded(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def _signature(key, signed):
    return hmac.new(key.encode(), signed.encode(), hashlib.sha256).digest()


def issue(key, subject, role, now):
    """A token for a member."""
    payload = {"iss": ISSUER, "sub": subject, "role": role, "iat": now, "exp": now + LASTS}
    signed = f"{_json({'alg': 'HS256', 'typ': 'JWT'})}.{_json(payload)}"
    return f"{signed}.{_encoded(_signature(key, signed))}"


def _opened(key, token):
    """Header and payload of a token with a good signature. Raises ValueError."""
    parts = token.split(".") if isinstance(token, str) else []
    if len(parts) != 3 or not all(PART.fullmatch(part) for part in parts):
        raise ValueError("not three parts")
    header, payload, signature = (_decoded(part) for part in parts)
    if not hmac.compare_digest(_signature(key, f"{parts[0]}.{parts[1]}"), signature):
        raise ValueError("signature")
    return json.loads(header), json.loads(payload)


def _is_whole(value):
    return type(value) is int


def _may_pass(header, payload, now):
    if not isinstance(header, dict) or not isinstance(payload, dict):
        return False
    if header.get("alg") != "HS256" or "crit" in header or payload.get("iss") != ISSUER:
        return False
    if not all(isinstance(payload.get(name), str) for name in ("sub", "role")):
        return False
    expires, begins = payload.get("exp"), payload.get("nbf", now)
    return _is_whole(expires) and _is_whole(begins) and begins <= now < expires


def admit(key, token, now):
    """Who comes with the token; None if it may not pass."""
    try:
        header, payload = _opened(key, token)
    except (ValueError, binascii.Error, RecursionError):
        return None
    if not _may_pass(header, payload, now):
        return None
    return {"sub": payload["sub"], "role": payload["role"]}
