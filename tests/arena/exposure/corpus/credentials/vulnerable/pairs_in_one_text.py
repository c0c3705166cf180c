import web


class Check:
    def GET(self):
        form = web.input(user="", password="")
        given = "%s:%s" % (form.user, form.password)
        return given in ["mod:violet", "mod2:indigo"]


def check(user, password):
    for known, word in {"mod": "violet"}.items():
        if known == user and word == password:
            return True
    return False
