"""The only door to disk: layout, raw copies, parts, manifests, the generated catalog."""
