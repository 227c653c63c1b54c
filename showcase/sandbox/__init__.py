"""Try it yourself: a visitor's own words climb through the layers, made by the worker of all others."""
