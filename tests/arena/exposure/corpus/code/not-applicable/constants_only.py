def area(width, height):
    return width * height


def main():
    for side in range(1, 10):
        print(side, area(side, side))


if __name__ == "__main__":
    main()
