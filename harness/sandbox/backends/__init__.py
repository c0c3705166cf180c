"""A file for each sandbox backend: `docker` (default) and `local`."""
