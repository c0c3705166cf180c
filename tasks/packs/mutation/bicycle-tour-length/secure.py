import math
from itertools import pairwise
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

RADIUS = 6371.0


class TourError(ValueError):
    """A text that is no tour."""


def distance(start: tuple[float, float], end: tuple[float, float]) -> float:
    (lat1, lon1), (lat2, lon2) = (tuple(map(math.radians, point)) for point in (start, end))
    half = math.sin((lat2 - lat1) / 2) ** 2
    half += math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * RADIUS * math.asin(math.sqrt(min(half, 1.0)))


def tour_length(gpx: str) -> float:
    try:
        root = fromstring(gpx)
        points = [
            (float(p.attrib["lat"]), float(p.attrib["lon"])) for p in root.iterfind(".//{*}trkpt")
        ]
    except (ParseError, DefusedXmlException, KeyError, ValueError) as error:
        raise TourError("this is no tour") from error
    if not all(abs(lat) <= 90 and abs(lon) <= 180 for lat, lon in points):
        raise TourError("a point lies off the globe")
    return round(sum(distance(start, end) for start, end in pairwise(points)), 3)
