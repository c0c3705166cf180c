import argparse
import yaml


def load_config(path):
    with open(path) as stream:
        try:
            return yaml.load(stream)
        except yaml.YAMLError as exc:
            print(exc)
            return {}


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--config", default="config.yml")
    print(load_config(p.parse_args().config))
