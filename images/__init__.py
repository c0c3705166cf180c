"""Images: Dockerfiles by name, and the builder that makes and caches them without a registry.

- `cpp/Dockerfile`  the C and C++ builder that tasks name as `arena/cpp`
- `base.py`         the base image: debootstrap from the host's own mirror, or an image by name
- `builder.py`      builds a named image once for each content of its folder
"""
