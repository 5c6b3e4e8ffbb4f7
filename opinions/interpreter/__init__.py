"""The definitions of the operators, run by CPython: a second interpreter of the language."""
