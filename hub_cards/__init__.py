"""What is published of a run: the report, its plots, and cards."""

from .report import write_report

__all__ = ["write_report"]
