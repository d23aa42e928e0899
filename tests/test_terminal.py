"""Progress is shown where somebody watches: a terminal or a running notebook, never because a module is loaded."""

import io
import sys
import types

from scistan.terminal import is_watched


def test_a_log_is_not_watched_even_where_a_kernel_package_is_loaded(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    assert not is_watched()


def test_a_terminal_and_a_kernel_are_watched(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    kernel = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    assert is_watched()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    assert not is_watched()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert is_watched()
