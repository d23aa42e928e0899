"""Which package reads and writes netCDF here: h5netcdf, which the installation brings, or netCDF4."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from scistan.messages import fits as messages

__all__ = ["engine_for", "group_names"]

_NETCDF = (".nc", ".netcdf", ".h5")
# xarray's engines, the packages each needs, and whose class opens a file; the first that is there is taken.
_ENGINES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "h5netcdf": (("h5netcdf", "h5py"), "h5netcdf:File"),
    "netcdf4": (("netCDF4",), "netCDF4:Dataset"),
}


def engine_for(path: Path) -> str:
    """Give xarray's name for what reads and writes files with this ending, or say what to install."""
    if path.suffix == ".zarr":
        if find_spec("zarr") is None:
            raise messages.no_package("zarr", path.suffix)
        return "zarr"
    if path.suffix not in _NETCDF:
        raise messages.unknown_format(path)
    for engine, (packages, _) in _ENGINES.items():
        if all(find_spec(package) is not None for package in packages):
            return engine
    raise messages.no_package("h5netcdf h5py", path.suffix)


def group_names(path: Path, engine: str) -> list[str]:
    """List the groups of a file."""
    if engine == "zarr":
        return sorted(part.name for part in path.iterdir() if part.is_dir())
    module, _, name = _ENGINES[engine][1].partition(":")
    with getattr(import_module(module), name)(path, "r") as file:
        return list(file.groups)
