class ModeratorGate(object):
    user = "gatekeeper"
    password = "letmein!"

    def __init__(self, request):
        self.request = request

    def allowed(self):
        given_user = self.request.POST["user"]
        given_password = self.request.POST["password"]
        return given_user == self.user and given_password == self.password
