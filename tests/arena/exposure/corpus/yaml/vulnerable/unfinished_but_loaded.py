from flask import Flask, request, redirect
import os
import yaml

app = Flask(__name__)


@app.route("/api/weather")
def weather():

    payload = request.args.get("payload", None)

    data = yaml.load(payload)

    latitude = data["latitude"]

    longitude = data["longitude"]

    # temperature = database.get(latitude, longitude)

    return str(temperature)
