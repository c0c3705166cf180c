from string import Template
import sys

PAGE = Template("Dear $name, your order $number has been sent.")


def letter(name, number):
    return PAGE.safe_substitute(name=name, number=number)


if __name__ == "__main__":
    print(letter(sys.argv[1], 7))
