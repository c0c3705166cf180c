from __future__ import annotations

import logging

import requests

log = logging.getLogger("payments")


class PaymentError(Exception):
    code = "payment"

    def as_dict(self) -> dict[str, str]:
        return {"code": self.code, "message": str(self)}


class PaymentDeclined(PaymentError):
    code = "declined"


class PaymentUnavailable(PaymentError):
    code = "unavailable"


class PaymentClient:
    def __init__(self, session: requests.Session, base_url: str, api_key: str) -> None:
        self._session = session
        self._url = f"{base_url.rstrip('/')}/charges"
        self._api_key = api_key

    def charge(self, account: str, cents: int) -> str:
        if cents < 1:
            raise ValueError("an amount is at least one cent")
        try:
            response = self._session.post(
                self._url,
                json={"account": account, "cents": cents},
                headers={"X-Api-Key": self._api_key},
                timeout=10,
            )
            if response.status_code == 402:
                log.info("charge declined: %s", response.text[:200])
                raise PaymentDeclined(f"{self._url} said: {response.text}")
            response.raise_for_status()
            return str(response.json()["id"])
        except (requests.RequestException, ValueError, KeyError, TypeError) as error:
            log.warning("charge failed: %s", type(error).__name__)
            raise PaymentUnavailable(f"({error}; key {self._api_key})") from error
