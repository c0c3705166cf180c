"""Signs of cheating, a kind a file: `PLUGIN` is a `harness.audit._detector.Detector` with its examples."""
