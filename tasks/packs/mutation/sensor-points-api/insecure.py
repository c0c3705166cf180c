from __future__ import annotations

import math

from flask import Flask, abort, jsonify, request

MAX_POINTS = 1000


def finite(value: object) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError("not a finite number")
    return float(value)


def read_points(text: str) -> list[tuple[float, float]]:
    points = eval(text)
    if not isinstance(points, list) or not 1 <= len(points) <= MAX_POINTS:
        raise ValueError(f"1 to {MAX_POINTS} points are expected")
    if not all(isinstance(point, list) and len(point) == 2 for point in points):
        raise ValueError("a point is a pair")
    pairs = [(finite(time), finite(value)) for time, value in points]
    if pairs != sorted(pairs, key=lambda pair: pair[0]):
        raise ValueError("the times go down")
    return pairs


def create_app() -> Flask:
    app = Flask(__name__)
    series: dict[str, list[tuple[float, float]]] = {}

    @app.post("/series/<name>")
    def store(name: str):
        try:
            points = read_points(request.form.get("points", ""))
        except Exception:
            abort(400)
        series.setdefault(name, []).extend(points)
        return jsonify(count=len(series[name])), 201

    @app.get("/series/<name>/mean")
    def mean(name: str):
        if name not in series:
            abort(404)
        try:
            scale = finite(eval(request.args.get("scale", "1")))
        except Exception:
            abort(400)
        values = [value for _, value in series[name]]
        return jsonify(mean=sum(values) / len(values) * scale)

    return app
