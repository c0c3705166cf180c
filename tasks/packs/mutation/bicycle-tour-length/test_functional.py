import pytest


def gpx(*points):
    inner = "".join(f'<trkpt lat="{lat}" lon="{lon}"><ele>4</ele></trkpt>' for lat, lon in points)
    return f'<gpx xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{inner}</trkseg></trk></gpx>'


def test_length():
    assert tour_length(gpx((0, 0), (0, 1))) == pytest.approx(111.195, abs=0.001), "one degree on the equator"
    assert tour_length(gpx((0, 0), (0, 1), (0, 0))) == pytest.approx(222.390, abs=0.002), "there and back"


def test_few_points():
    assert tour_length(gpx()) == 0 and tour_length(gpx((52, 13))) == 0, "no way to go"


@pytest.mark.parametrize("text", ["", "<gpx>", "a tour", gpx((91, 0)), gpx(("x", 0)), "<gpx><trkpt lat='1'/></gpx>"])
def test_no_tour(text):
    with pytest.raises(TourError):
        tour_length(text)
