"""`fit.report` and `fit.table`: a fit told to those who were not there."""

from scistan.inference.report.page import report_page, write_report

__all__ = ["report_page", "write_report"]
