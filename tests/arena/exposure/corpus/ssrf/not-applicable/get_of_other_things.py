from flask import Flask, request, session

app = Flask(__name__)
cache = {}


class Store:
    def get(self, url):
        return cache.get(url)

    def post(self, url, body):
        cache[url] = body


@app.route("/note", methods=["GET", "POST"])
def note():
    url = request.args.get("url")
    store = Store()
    if request.method == "POST":
        store.post(url, request.data)
    return store.get(url) or session.get("last", "")
