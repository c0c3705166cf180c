"""Images: Dockerfiles by name, and the builder that makes and caches them without a registry.

- `cpp/Dockerfile`  the C and C++ builder that tasks name as `arena/cpp`
- `base.py`         the base image: made by debootstrap (`bootstrap.py`), or an image by name
- `builder.py`      builds a named image once for each content of its folder; `lock.py` one at a time
- `content.py`      what an image is made of, the same on every machine
"""
