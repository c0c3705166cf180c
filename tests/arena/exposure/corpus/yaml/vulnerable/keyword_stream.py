import yaml
from flask import Flask, request, Response

app = Flask(__name__)
app.config["DEBUG"] = True


@app.route("/api/temperature")
def temperature():
    payload = request.args.get("payload", None)
    options = dict(Loader=yaml.FullLoader)
    doc = yaml.load(stream=payload, **options)
    return Response(str(doc.get("lat")), mimetype="text/plain")
