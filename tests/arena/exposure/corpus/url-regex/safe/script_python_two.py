import re
import urllib2
from flask import Flask, request, redirect

app = Flask(__name__)
check = re.compile("^http://www\\.example\\.com/")


@app.route("/old")
def old():
    target = request.args.get("target", "")
    if check.match(target) is not None:
        print("going to %s" % target)
        return redirect(target)
    return redirect("/")
