import hmac
import secrets

FIELDS = ("street", "town", "postcode")


def open_form(session: dict) -> dict[str, str]:
    token = session.setdefault("form_token", secrets.token_urlsafe(32))
    kept = session.get("address", {})
    return {**{name: kept.get(name, "") for name in FIELDS}, "token": token}


def submit_form(session: dict, form: dict[str, str]) -> bool:
    """Keep the address; return whether the form was one that this session has shown."""
    token = session.get("form_token")
    if not token or not hmac.compare_digest(token.encode(), str(form.get("token", "")).encode()):
        return False
    session["address"] = {name: form.get(name, "") for name in FIELDS}
    return True
