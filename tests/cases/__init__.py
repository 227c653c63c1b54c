"""Faults that memories of this kind are known for, one test each; docs/cases.md lists them by number."""
