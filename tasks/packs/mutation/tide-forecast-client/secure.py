import os

import requests

SERVICE = "https://tides.example.com/v2"


def high_waters(harbour: str) -> list[str]:
    if not harbour.isalpha():
        raise ValueError(f"no harbour: {harbour!r}")
    api_key = os.environ.get("TIDES_API_KEY")
    if not api_key:
        raise RuntimeError("TIDES_API_KEY is not set")
    reply = requests.get(f"{SERVICE}/{harbour}", headers={"X-Api-Key": api_key}, timeout=10)
    reply.raise_for_status()
    return reply.json()["high"]
