import numpy as np
import secrets


def experiment(samples):
    noise = np.random.normal(size=samples)
    return float(noise.mean())


def api_key():
    return secrets.token_hex(20)
