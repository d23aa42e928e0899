"""The structures that stanli's methods take, which its Python package does not declare, and a look whether they hold.

The fields are those of stanli's public headers (github.com/seantalts/stanli, `runtime/include/stanli/algorithms.hpp`).
A field at another place would be misread in silence: so the library is asked for its defaults, between two patterns of
bytes, and they must be the documented ones, at these places, and nothing beyond them written.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import POINTER, c_double, c_int, c_uint32
from typing import Any

from scistan.engines.loading import load_stanli
from scistan.surface import lacking

__all__ = ["LogCallback", "structure_for"]

LogCallback = ctypes.CFUNCTYPE(None, c_int, ctypes.c_char_p, ctypes.c_void_p)
ABI = 2
_PATTERNS = (0xAB, 0x5C)
_SPARE = 64  # bytes behind a structure that must stay as they are


class _Pathfinder(ctypes.Structure):
    _fields_ = (
        ("seed", c_uint32), ("chain_id", c_int), ("num_paths", c_int), ("num_draws", c_int),
        ("num_psis_draws", c_int), ("num_elbo_draws", c_int), ("max_lbfgs_iters", c_int), ("history_size", c_int),
        ("init_alpha", c_double), ("tol_obj", c_double), ("tol_rel_obj", c_double), ("tol_grad", c_double),
        ("tol_rel_grad", c_double), ("tol_param", c_double), ("init_radius", c_double), ("inits", POINTER(c_double)),
        ("psis_resample", c_int), ("calculate_lp", c_int), ("refresh", c_int),
    )  # fmt: skip


class _Laplace(ctypes.Structure):
    _fields_ = (
        ("seed", c_uint32), ("draws", c_int), ("jacobian", c_int), ("calculate_lp", c_int), ("refresh", c_int),
    )  # fmt: skip


class _Variational(ctypes.Structure):
    _fields_ = (
        ("seed", c_uint32), ("chain_id", c_int), ("algorithm", c_int), ("iter", c_int), ("grad_samples", c_int),
        ("elbo_samples", c_int), ("eta", c_double), ("adapt_engaged", c_int), ("adapt_iter", c_int),
        ("tol_rel_obj", c_double), ("eval_elbo", c_int), ("output_samples", c_int), ("init_radius", c_double),
        ("init", POINTER(c_double)),
    )  # fmt: skip


# Stan's defaults, but for the paths: stanli runs one.
_DEFAULTS: Mapping[str, tuple[type[ctypes.Structure], Mapping[str, float]]] = {
    "pathfinder": (
        _Pathfinder,
        {
            "seed": 1, "chain_id": 1, "num_paths": 1, "num_draws": 1000, "num_psis_draws": 1000, "num_elbo_draws": 25,
            "max_lbfgs_iters": 1000, "history_size": 5, "init_alpha": 0.001, "tol_obj": 1e-12, "tol_rel_obj": 1e4,
            "tol_grad": 1e-8, "tol_rel_grad": 1e7, "tol_param": 1e-8, "init_radius": 2.0, "inits": 0,
            "psis_resample": 1, "calculate_lp": 1, "refresh": 0,
        },
    ),
    "laplace": (_Laplace, {"seed": 1, "draws": 1000, "jacobian": 1, "calculate_lp": 1, "refresh": 0}),
    "variational": (
        _Variational,
        {
            "seed": 1, "chain_id": 1, "algorithm": 0, "iter": 10000, "grad_samples": 1, "elbo_samples": 100,
            "eta": 1.0, "adapt_engaged": 1, "adapt_iter": 50, "tol_rel_obj": 0.01, "eval_elbo": 100,
            "output_samples": 1000, "init_radius": 2.0, "init": 0,
        },
    ),
}  # fmt: skip


def structure_for(method: str) -> Any:
    """Give a method's structure with the library's defaults, having seen that it is laid out as is thought here."""
    kind, defaults = _DEFAULTS[method]
    library = load_stanli()._lib
    first, second = (_filled(library, method, kind, pattern) for pattern in _PATTERNS)
    options = kind.from_buffer_copy(first)
    size = ctypes.sizeof(kind)
    ends = (first[size:], second[size:])
    untouched = ends == tuple(bytes([byte]) * _SPARE for byte in _PATTERNS)
    moved = [name for name, value in defaults.items() if _number(getattr(options, name)) != value]
    if library.stanli_abi_version() != ABI or not untouched or first[:size] != second[:size] or moved:
        raise lacking("stanli", [f"{method}: {name}" for name in moved or ("the layout of its options",)])
    return options


def _filled(library: Any, method: str, kind: type[ctypes.Structure], pattern: int) -> bytes:
    size = ctypes.sizeof(kind) + _SPARE
    memory = (ctypes.c_ubyte * size)(*([pattern] * size))
    getattr(library, f"stanli_{method}_opts_init")(ctypes.byref(memory))
    return bytes(memory)


def _number(value: Any) -> float:
    """Give a field as a number; an empty pointer counts as 0."""
    return float(bool(value)) if isinstance(value, POINTER(c_double)) else float(value)
