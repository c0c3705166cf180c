import sys
import ruamel.yaml

yaml = ruamel.yaml.YAML()
yaml.preserve_quotes = True


def bump(path):
    with open(path) as f:
        data = yaml.load(f)
    data["version"] += 1
    with open(path, "w") as f:
        yaml.dump(data, f)


bump(sys.argv[1])
