"""Where the C++ of stanc 2.35 is known to be wrong: shown here, and programs avoid it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from scistan.targets.stan.program import lower_to_stan
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.wheel import find_wheel
from tests.targets.looped_models import FORMS, build

STACK = """data { int A; int N; }
parameters { real a; }
model {
  array[A] matrix[N, N] w = rep_array(rep_matrix(0, N, N), A);
  w[1, 1, 1] += a;
  target += w[1, 1, 1];
}
"""


@pytest.mark.skipif(find_wheel() is None, reason="httpstan is not installed")
@pytest.mark.xfail(reason="stanc 2.35 with --O1 leaves an array of parameters without its size", strict=True)
def test_a_stack_declared_with_zeros(tmp_path: Path) -> None:
    """The program would crash: data are copied into an array that has no elements."""
    (tmp_path / "stack.stan").write_text(STACK)
    wheel = find_wheel()
    assert wheel is not None
    options = BuildOptions().stanc_options
    subprocess.run([wheel.stanc, *options, "--o=stack.hpp", "stack.stan"], cwd=tmp_path, check=True)
    assert not re.search(r"std::vector<Eigen::Matrix<local_scalar_t__,-1,-1>> w;", (tmp_path / "stack.hpp").read_text())


@pytest.mark.parametrize("name", FORMS)
def test_no_program_declares_a_stack_with_zeros(name: str) -> None:
    assert not re.search(r"= rep_array\(rep_matrix", lower_to_stan(build(name, [0] * 5 + [1] * 10).to_graph()).text)


def test_the_optimizer_is_left_out_where_functions_loop_until_they_converge():
    """stanc 2.35 takes 20 s with --O1 over a truncated Gamma, whose tails are a series of our own."""
    options = BuildOptions()
    assert "--O1" in options.for_stanc("model { }")
    assert options.for_stanc("functions { real f(real x) { while (x > 1) { } return x; } }") == ("-fno-soa",)
