from flask import Flask, request
from markupsafe import Markup

FOUND = Markup("<!doctype html><title>Glossary</title><h1>{word}</h1><p>{meaning}</p>")
MISSING = Markup("<!doctype html><title>Glossary</title><p>No entry for <em>{word}</em></p>")


def create_app(glossary: dict[str, str]) -> Flask:
    app = Flask(__name__)

    @app.get("/lookup")
    def lookup():
        word = request.args.get("term", "").strip()
        meaning = glossary.get(word.lower())
        if meaning is None:
            return MISSING.format(word=word), 404
        return FOUND.format(word=word, meaning=meaning)

    return app
