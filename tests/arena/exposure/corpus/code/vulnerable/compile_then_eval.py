from bottle import get, request, run


def value_of(source):
    code = compile(source, "<calc>", "eval")
    for name in code.co_names:
        if name.startswith("_"):
            raise ValueError(name)
    return eval(code)


@get("/calc")
def calc():
    return {"value": value_of(request.query.e)}


run(port=8080)
