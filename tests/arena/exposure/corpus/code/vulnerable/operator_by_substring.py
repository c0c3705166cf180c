left = input("left: ")
sign = input("sign: ")
right = input("right: ")

if sign in "+-*/":
    print(eval(left + sign + right))
else:
    print("unknown sign")
