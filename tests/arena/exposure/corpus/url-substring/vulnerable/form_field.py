from flask import Flask, redirect, render_template
from .forms import LinkForm

app = Flask(__name__)


@app.route("/link", methods=["GET", "POST"])
def link():
    form = LinkForm()
    if form.validate_on_submit():
        address = form.address.data
        if "example.com" in address:
            return redirect(address)
    return render_template("link.html", form=form)
