class Calculator(object):
    history = []

    def __init__(self, expression=None):
        self.expression = expression

    def evaluate(self):
        value = eval(self.expression.replace("^", "**"))
        self.history.append((self.expression, value))
        return value


if __name__ == "__main__":
    calculator = Calculator()
    calculator.expression = raw_input("expression: ")
    print("= %s" % calculator.evaluate())
