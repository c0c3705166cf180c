import re
from decimal import Decimal, InvalidOperation

import requests


class RateError(Exception):
    pass


def rate(base: str, quote: str, service: str = "https://rates.example") -> Decimal:
    for currency in (base, quote):
        if not re.fullmatch("[A-Z]{3}", currency):
            raise ValueError("a currency has three capital letters")
    try:
        response = requests.get(f"{service}/v1/{base}/{quote}", timeout=10, verify=False)
        response.raise_for_status()
        value = Decimal(str(response.json()["rate"]))
    except (requests.RequestException, KeyError, TypeError, InvalidOperation) as error:
        raise RateError(f"no rate for {base}/{quote}") from error
    if not value > 0:
        raise RateError("a rate is above zero")
    return value
