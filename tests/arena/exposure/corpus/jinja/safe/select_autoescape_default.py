from jinja2 import Environment as Env, FileSystemLoader as Loader, select_autoescape as auto
import sys


def environment(folder="templates"):
    return Env(autoescape=auto(), loader=Loader(folder))


def main():
    template = environment().get_template("page.html")
    print(template.render(name=sys.argv[1]))


if __name__ == "__main__":
    main()
