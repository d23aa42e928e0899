"""Which names a variable may have."""

from __future__ import annotations

import keyword
import re
import unicodedata

from scistan.messages import model as messages

__all__ = ["STAN_KEYWORDS", "check_name"]

# Stan Reference Manual, "Variables: reserved names"; functions (`beta`, `mean`) are not among them.
_WORDS = """for in while repeat until if then else true false target struct typedef export auto extern var
static lower upper offset multiplier int real complex vector row_vector matrix complex_vector
complex_row_vector complex_matrix simplex unit_vector sum_to_zero_vector sum_to_zero_matrix ordered
positive_ordered cholesky_factor_cov cholesky_factor_corr corr_matrix cov_matrix column_stochastic_matrix
row_stochastic_matrix array tuple functions data parameters transformed generated quantities model void
return break continue print reject fatal_error profile jacobian else get_lp alignas alignof and and_eq asm
bitand bitor bool case catch char char16_t char32_t class compl const constexpr const_cast decltype default
delete do double dynamic_cast enum explicit float friend goto inline long mutable namespace new noexcept not
not_eq nullptr operator or or_eq private protected public register reinterpret_cast short signed sizeof
static_assert static_cast switch template this thread_local throw try typeid typename union unsigned using
virtual volatile wchar_t xor xor_eq STAN_MAJOR STAN_MINOR STAN_PATCH STAN_MATH_MAJOR STAN_MATH_MINOR
STAN_MATH_PATCH"""
STAN_KEYWORDS = frozenset(_WORDS.split())
PLANNED = frozenset({"plan", "explain", "report", "sbc", "profile", "compare", "check"})
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


def check_name(name: str, kind: type, *, in_program: bool = True) -> None:
    """Refuse a name that Python, ArviZ or the model itself has taken, or Stan, for what is part of its program."""
    if not isinstance(name, str):
        raise messages.reserved_name(str(name), "a name is a text", f"x_{name}")
    if in_program and name in STAN_KEYWORDS:
        raise messages.reserved_name(name, "it is a reserved word of Stan")
    if hasattr(kind, name) or name in PLANNED:
        raise messages.reserved_name(name, "it is a method of the model")
    if name in ("chain", "draw"):
        raise messages.reserved_name(name, "ArviZ calls the axes of the draws so")
    if keyword.iskeyword(name):
        raise messages.reserved_name(name, "it is a reserved word of Python")
    if not _IDENTIFIER.match(name):
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        instead = re.sub(r"\W", "_", plain).strip("_") or "x"
        instead = instead if instead[0].isalpha() else f"x_{instead}"
        why = "a name is letters from a to z, digits and `_`, and starts with a letter"
        raise messages.reserved_name(name, why, instead)
    if name.endswith("__"):
        why = "Stan keeps names that end in two underscores for itself"
        raise messages.reserved_name(name, why, name.rstrip("_"))
