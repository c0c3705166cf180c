import ipaddress
import socket
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

import requests

PORTS = (None, 80, 443, 8080, 8443)


def resolve_host(host: str) -> list[str]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return sorted({str(address[0]) for *_, address in found})


def is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    return ip.is_global and not ip.is_multicast


def deliver(
    url: str, event: dict, resolve: Callable[[str], Iterable[str]] = resolve_host
) -> int:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.port not in PORTS:
        raise ValueError("http or https on a usual port is needed")
    host = parts.hostname
    if not host or parts.username is not None:
        raise ValueError("an address with a host and without a user is needed")
    try:
        addresses = list(resolve(host))
    except OSError as error:
        raise ValueError(f"the host {host} is unknown") from error
    if not addresses or host in ("localhost", "127.0.0.1"):
        raise ValueError(f"the host {host} is not on the public internet")
    return requests.post(url, json=event, timeout=3, allow_redirects=False).status_code
