import yaml

try:
    from yaml import CSafeLoader as Loader
except ImportError:
    from yaml import SafeLoader as Loader


def read(text):
    """The settings in a YAML text."""
    settings = yaml.load(text, Loader=Loader)
    if not isinstance(settings, dict):
        raise ValueError("no mapping")
    return settings
