import json
import os
import re

from flask import Flask, abort, jsonify, request

TENANT = re.compile(r"t-[0-9]{1,9}")


def positive(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def create_app(outbox: str) -> Flask:
    app = Flask(__name__)

    def folder_of(tenant: object) -> str:
        if not isinstance(tenant, str) or not TENANT.fullmatch(tenant):
            abort(400)
        return os.path.join(outbox, tenant)

    def own_folder(tenant: object) -> str:
        folder = folder_of(tenant)
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, 0o700)
        return folder

    @app.post("/invoices")
    def add():
        order = request.get_json()
        if not isinstance(order, dict):
            abort(400)
        tenant, number, cents = (order.get(k) for k in ("tenant", "number", "cents"))
        if not (positive(number) and positive(cents)):
            abort(400)
        path = os.path.join(own_folder(tenant), f"{number}.json")
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            abort(409)
        with os.fdopen(fd, "w") as file:
            json.dump({"tenant": tenant, "number": number, "cents": cents}, file)
        return jsonify(file=f"{tenant}/{number}.json"), 201

    @app.get("/invoices/<tenant>")
    def numbers(tenant: str):
        folder = folder_of(tenant)
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return jsonify(numbers=sorted(int(name.removesuffix(".json")) for name in names))

    return app
