import yaml


class UniqueKeys(yaml.SafeLoader):
    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        if len(set(keys)) != len(keys):
            raise yaml.YAMLError("a key stands twice")
        return super().construct_mapping(node, deep)


def read(stream):
    return yaml.load(stream, Loader=UniqueKeys)
