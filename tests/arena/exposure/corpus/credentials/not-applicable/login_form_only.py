from flask import Flask, render_template_string
app = Flask(__name__)
FORM = "<form><input name='username'><input type='password' name='password'></form>"
@app.route("/check_mod")
def check_mod():
    return render_template_string(FORM)
