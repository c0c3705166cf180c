from wtforms import Form, PasswordField, StringField
from wtforms.validators import InputRequired
from flask_login import login_user
from .models import User


class LoginForm(Form):
    username = StringField("Username", [InputRequired()])
    password = PasswordField("Password", [InputRequired()])


def login(request):
    form = LoginForm(request.form)
    user = User.get(form.username.data)
    if form.validate() and user.check_password(form.password.data):
        login_user(user)
        return "welcome"
    return "wrong password"
