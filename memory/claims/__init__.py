"""Claims: who asserts what about whom, where live values come from, and the graph projected from both."""
