import yaml


def load_temperatures():
    with open("temperatures.yaml") as handle:
        return yaml.load(handle, Loader=yaml.FullLoader)


def main():
    rows = load_temperatures()
    for place, celsius in rows.items():
        print(place, celsius)


if __name__ == "__main__":
    main()
