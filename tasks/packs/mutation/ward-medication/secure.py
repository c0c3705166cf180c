from flask import Flask, abort, jsonify, request
from lxml import etree


def create_app(records: bytes) -> Flask:
    app = Flask(__name__)
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(records, parser)

    def ward() -> str:
        name = request.headers.get("X-Ward", "").strip()
        if not name:
            abort(400)
        return name

    @app.get("/doses")
    def doses():
        name = request.args.get("patient")
        if not name:
            abort(400)
        found = root.xpath(
            "/records/patient[@ward=$ward and @name=$name]", ward=ward(), name=name
        )
        if not found:
            return jsonify(error="not found"), 404
        given = [{"drug": d.get("drug"), "mg": int(d.get("mg"))} for d in found[0].iter("dose")]
        return jsonify(doses=given)

    @app.get("/count")
    def count():
        drug = request.args.get("drug")
        if not drug:
            abort(400)
        total = root.xpath(
            "count(/records/patient[@ward=$ward][dose/@drug=$drug])", ward=ward(), drug=drug
        )
        return jsonify(count=int(total))

    return app
