import ssl


class ConfigError(Exception):
    pass


def client_context(ca_file: str | None = None, modern: bool = True) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(f"{ca_file}: no certificates could be read") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_3 if modern else ssl.TLSVersion.TLSv1_2
    return context
