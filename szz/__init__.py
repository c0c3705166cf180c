"""Git history -> candidate inducing commits, and the three-commit confirmation. Nothing lives here yet."""
