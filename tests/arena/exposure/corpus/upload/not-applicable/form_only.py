from flask import Flask

app = Flask(__name__)

# file.save("uploads/" + file.filename)


@app.route("/")
def form():
    return "<form method=post enctype=multipart/form-data><input type=file name=f></form>"
