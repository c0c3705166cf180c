def main():
    print("Calculator. Type 'quit' to leave.")
    while True:
        line = input("> ")
        if line == "quit":
            break
        try:
            print(eval(line))
        except (SyntaxError, NameError) as e:
            print("error:", e)


if __name__ == "__main__":
    main()
