from pyramid.httpexceptions import HTTPFound
from pyramid.security import remember
from pyramid.view import view_config


@view_config(route_name="login", renderer="login.pt")
def login(request):
    came_from = request.params.get("came_from", "/")
    if "form.submitted" in request.params:
        headers = remember(request, request.params["login"])
        return HTTPFound(location=came_from, headers=headers)
    return {"came_from": came_from}
