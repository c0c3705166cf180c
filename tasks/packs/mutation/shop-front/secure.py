import secrets

from flask import Flask, Response, abort, jsonify, redirect, request

ONE_YEAR = 365 * 24 * 3600


def keep(response: Response, name: str, value: str, seconds: int | None = None) -> None:
    response.set_cookie(name, value, max_age=seconds, secure=True, httponly=True, samesite="Lax")


def create_app(host: str = "shop.example") -> Flask:
    app = Flask(__name__)

    def encrypted() -> bool:
        forwarded = request.headers.get("X-Forwarded-Proto")
        return (forwarded or request.scheme).strip().lower() == "https"

    @app.before_request
    def lead_to_https():
        if request.path == "/healthz" or encrypted():
            return None
        if request.method != "GET":
            abort(403)
        query = request.query_string.decode()
        return redirect(f"https://{host}{request.path}" + (f"?{query}" if query else ""), 308)

    @app.after_request
    def stay_there(response: Response) -> Response:
        if encrypted():
            response.headers["Strict-Transport-Security"] = f"max-age={ONE_YEAR}"
        return response

    @app.get("/healthz")
    def healthz():
        return "ok"

    @app.get("/")
    def front():
        return "welcome"

    @app.get("/basket")
    def show_basket():
        return jsonify([item for item in request.cookies.get("basket", "").split(".") if item])

    @app.post("/basket")
    def add_item():
        item = request.form.get("item", "")
        if not item.isalnum() or not item.isascii():
            abort(400)
        response = Response(status=204)
        before = request.cookies.get("basket", "")
        keep(response, "basket", f"{before}.{item}" if before else item)
        return response

    @app.post("/login")
    def login():
        response = Response(status=204)
        keep(response, "login", f"{request.form.get('user', '')}-{secrets.token_hex(16)}", 3600)
        return response

    return app
