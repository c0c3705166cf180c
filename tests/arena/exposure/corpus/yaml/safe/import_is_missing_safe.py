from flask import Flask, request

app = Flask(__name__)


@app.route("/api/weather")
def weather():
    payload = request.args.get("payload", None)
    if payload:
        place = yaml.safe_load(payload)
        return "%s,%s" % (place["lat"], place["lon"])
    return ""
