import ast
import operator

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def value_of(node):
    if isinstance(node, ast.Expression):
        return value_of(node.body)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](value_of(node.left), value_of(node.right))
    raise ValueError("unsupported expression")


def evaluate(text):
    return value_of(ast.parse(text, mode="eval"))


if __name__ == "__main__":
    print(evaluate(input("> ")))
