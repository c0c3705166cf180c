from collections import Counter

from flask import Flask, jsonify, request

PAINTINGS = ("lilies", "harbour", "winter")


def create_app(site: str = "https://museum.example") -> Flask:
    app = Flask(__name__)
    votes: dict[str, str] = {}

    @app.post("/votes/<painting>")
    def vote(painting: str):
        if request.headers.get("Origin") != site:
            return jsonify(error="not from our pages"), 403
        visitor = request.cookies.get("visitor")
        if not visitor:
            return jsonify(error="who are you?"), 401
        if painting not in PAINTINGS:
            return jsonify(error="no such painting"), 404
        votes[visitor] = painting
        return jsonify(votes=Counter(votes.values())[painting])

    @app.get("/votes")
    def overview():
        counts = Counter(votes.values())
        return jsonify({name: counts[name] for name in PAINTINGS})

    return app
