from flask import Flask, request, Response
import xml.etree.ElementTree as ET

app = Flask(__name__)


@app.route("/greet")
def greet():
    root = ET.Element("greeting")
    ET.SubElement(root, "name").text = request.args.get("name", "")
    return Response(ET.tostring(root), mimetype="application/xml")
