import os
from flask import Blueprint, request, redirect

admin = Blueprint("admin", __name__)


@admin.route("/delete", methods=["POST"])
def delete():
    victim = request.form["name"]
    if target := os.path.join("images", victim):
        os.remove(target)
    return redirect("/")
