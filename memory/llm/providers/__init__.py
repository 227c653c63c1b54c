"""Models and embedders by vendor, each with a face for use in one's own code and a place in the settings.

Each file names its vendor's SDK and imports it late; those of `anthropic` and `ollama` come with the extras
of these names. `own` takes what somebody wrote by the seams.
"""
