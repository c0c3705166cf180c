from lxml import objectify
from flask import Flask, request

app = Flask(__name__)


@app.post("/person")
def person():
    one = objectify.fromstring(request.get_data(cache=False))
    return "%s is %s" % (one.name, one.age)
