import os
from flask import Flask, render_template
from flask_wtf import FlaskForm
from flask_wtf.file import FileAllowed, FileField, FileRequired
from werkzeug.utils import secure_filename

app = Flask(__name__)


class PhotoForm(FlaskForm):
    photo = FileField(validators=[FileRequired(), FileAllowed(["jpg", "png"], "images only")])


@app.route("/photo", methods=["GET", "POST"])
def photo():
    form = PhotoForm()
    if form.validate_on_submit():
        f = form.photo.data
        f.save(os.path.join("photos", secure_filename(f.filename)))
        return "ok"
    return render_template("photo.html", form=form)
