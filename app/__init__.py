"""Evenhand: local-only, blinded adjudication of paired text edits."""

__version__ = "0.3.0"
