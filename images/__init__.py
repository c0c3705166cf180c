"""Images: Dockerfiles by name, and the builder that makes and caches them without a registry.

- `cpp/Dockerfile`  the C and C++ builder that tasks name as `arena/cpp`
- `base.py`         the base image: built by debootstrap (`bootstrap.py`), or an image by name
- `builder.py`      builds a named image once for each content of its folder; `lock.py` keeps builds serial
- `content.py`      what an image consists of, the same on every machine
"""
