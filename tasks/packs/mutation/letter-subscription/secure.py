from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

FORM_FIELDS = ("email", "name", "language")
LANGUAGES = ("en", "de", "fr")


@dataclass(frozen=True)
class Subscriber:
    id: int
    email: str
    name: str = ""
    language: str = "en"
    plan: str = "trial"
    price_cents: int = 0
    verified: bool = False
    staff: bool = False


def read_form(form: Any) -> dict[str, str]:
    """The entries of a form. Raises ValueError for any that it does not have."""
    if not isinstance(form, dict):
        raise ValueError("a form has entries")
    values: dict[str, str] = {}
    for key, value in form.items():
        if key not in FORM_FIELDS:
            raise ValueError(f"the form has no field {key!r}")
        if not isinstance(value, str):
            raise ValueError(f"{key}: a text is needed")
        values[key] = value.strip()
    if "@" not in values.get("email", "@"):
        raise ValueError("email: an address is needed")
    if values.get("language", "en") not in LANGUAGES:
        raise ValueError(f"language: one of {', '.join(LANGUAGES)}")
    return values


class Subscriptions:
    def __init__(self, prices: dict[str, int]) -> None:
        self._prices = dict(prices)
        self._by_id: dict[int, Subscriber] = {}

    def sign_up(self, form: dict[str, Any]) -> Subscriber:
        values = read_form(form)
        if "email" not in values:
            raise ValueError("email is needed")
        return self._keep(Subscriber(id=len(self._by_id) + 1, **values))

    def edit(self, subscriber_id: int, form: dict[str, Any]) -> Subscriber:
        before = self.find(subscriber_id)
        values: dict[str, Any] = read_form(form)
        if values.get("email", before.email) != before.email:
            values["verified"] = False
        return self._keep(replace(before, **values))

    def choose_plan(self, subscriber_id: int, plan: str) -> Subscriber:
        if plan not in self._prices:
            raise ValueError(f"no plan {plan!r}")
        before = self.find(subscriber_id)
        return self._keep(replace(before, plan=plan, price_cents=self._prices[plan]))

    def verify(self, subscriber_id: int) -> Subscriber:
        return self._keep(replace(self.find(subscriber_id), verified=True))

    def import_json(self, text: str) -> list[Subscriber]:
        forms = json.loads(text)
        if not isinstance(forms, list):
            raise ValueError("a list of forms is needed")
        return self._all_or_none(forms)

    def export_json(self) -> str:
        return json.dumps([asdict(s) for s in self._by_id.values()])

    def find(self, subscriber_id: int) -> Subscriber:
        if subscriber_id not in self._by_id:
            raise LookupError(f"no subscriber {subscriber_id}")
        return self._by_id[subscriber_id]

    def _all_or_none(self, forms: Iterable[Any]) -> list[Subscriber]:
        before = dict(self._by_id)
        try:
            return [self.sign_up(form) for form in forms]
        except ValueError:
            self._by_id = before
            raise

    def _keep(self, subscriber: Subscriber) -> Subscriber:
        self._by_id[subscriber.id] = subscriber
        return subscriber
