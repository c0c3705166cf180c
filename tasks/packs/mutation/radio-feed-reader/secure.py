import re
import urllib.request
import xml.etree.ElementTree as ElementTree
from urllib.parse import urlsplit

TIMEOUT = 5
MAX_BYTES = 1_000_000
PLAIN_PATH = re.compile(r"/(?!/)[A-Za-z0-9._~/%?=&-]*")


class FeedReader:
    def __init__(self, stations: dict[str, str]) -> None:
        self._stations = dict(stations)

    def titles(self, station: str, path: str = "/feed.xml") -> list[str]:
        text = self._read(self._address(self._stations[station], path))
        items = ElementTree.fromstring(text).iter("item")
        return [title.text or "" for item in items for title in item.iter("title")]

    def image(self, station: str, url: str) -> bytes:
        host = self._stations[station]
        if url.startswith("/"):
            return self._read(self._address(host, url))
        parts = urlsplit(url)
        if parts.scheme != "https" or parts.netloc != host:
            raise ValueError("the picture is not of the station's host")
        path = parts._replace(scheme="", netloc="").geturl()
        return self._read(self._address(host, path or "/"))

    @staticmethod
    def _address(host: str, path: str) -> str:
        if not PLAIN_PATH.fullmatch(path):
            raise ValueError("this is no path on a station's host")
        return f"https://{host}{path}"

    @staticmethod
    def _read(url: str) -> bytes:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as reply:
            return reply.read(MAX_BYTES)
