from urllib.parse import urlsplit

import requests


class UploadError(Exception):
    pass


def readings_url(server: str) -> str:
    parts = urlsplit(server if "://" in server else f"http://{server}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("the server is a host or an address")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/api/readings"


def upload(server: str, meter_id: str, watt_hours: int, token: str) -> str:
    response = requests.post(
        readings_url(server),
        json={"meter": meter_id, "watt_hours": watt_hours},
        headers={"Authorization": f"Bearer {token}"},
        timeout=10,
    )
    if response.status_code != 200:
        raise UploadError(f"the service answered {response.status_code}")
    return response.json()["receipt"]
