import jinja2


def made(**options):
    return jinja2.Environment(**options)
