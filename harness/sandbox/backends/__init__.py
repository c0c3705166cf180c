"""One file a sandbox backend: `docker` (default) and `local`."""
