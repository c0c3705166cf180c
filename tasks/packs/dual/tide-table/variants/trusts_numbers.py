import sys


def metres(cm):
    sign = "-" if cm < 0 else ""
    return f"{sign}{abs(cm) // 100}.{abs(cm) % 100:02}"


def is_time(text):
    hours, minutes = text.split(":")
    return len(text) == 5 and 0 <= int(hours) <= 23 and 0 <= int(minutes) <= 59


def convert(lines):
    name = lines[0].removeprefix("station ")
    if name == lines[0] or not name:
        raise ValueError("no station")
    word, count = lines[1].split(" ")
    if word != "slots":
        raise ValueError("no slots")
    table = [None] * int(count)
    for line in lines[2:]:
        slot, time, height = line.split(" ")
        slot = int(slot)
        if table[slot] is not None or not is_time(time):
            raise ValueError(line)
        table[slot] = (time, int(height))
    heights = [reading[1] for reading in table if reading]
    out = [name]
    for slot, reading in enumerate(table):
        out.append(f"{slot} {reading[0]} {metres(reading[1])}" if reading else f"{slot} - -")
    mean = metres(int(sum(heights) / len(heights))) if heights else "-"
    return "\n".join([*out, f"mean {mean}"]) + "\n"


def main():
    source, target = sys.argv[1:3]
    try:
        with open(source, encoding="ascii") as file:
            text = convert(file.read().removesuffix("\n").split("\n"))
    except (ValueError, IndexError):
        return 1
    with open(target, "w", encoding="ascii") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
