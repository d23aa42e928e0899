"""Real models through the real toolchain: httpstan's Stan, this machine's compiler, SciStan's runner."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scistan.toolchain.build import compile_stan
from scistan.toolchain.cache import open_store
from scistan.toolchain.errors import StancError
from scistan.toolchain.inventory import list_cache
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.place import PRODUCTS
from scistan.toolchain.pool import compile_many
from scistan.toolchain.runner_source import read_runner
from scistan.toolchain.wheel import find_wheel

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_wheel() is None, reason="httpstan is not installed"),
]

MODEL = """data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 5);
  sigma ~ normal(0, 1);
  y ~ normal(mu, sigma);
}
"""
COIN = (
    "data { int N; array[N] int y; }\nparameters { real<lower=0, upper=1> p; }\nmodel { y ~ bernoulli(p); }\n"
)


@pytest.fixture
def executable(real):
    """Give the executable of the normal model, built at the first call of a session."""
    return compile_stan(MODEL)


def stan_minor() -> str:
    """Give the minor version of the Stan at hand: 35 with httpstan 4.13, 39 with 4.17."""
    return find_wheel().stan_version.split(".")[1]


def test_the_executable_answers(executable):
    said = subprocess.run([executable, "info"], capture_output=True, text=True, check=True).stdout
    assert f"stan_version_minor = {stan_minor()}\n" in said
    assert "STAN_THREADS" in said


def test_cmdstanpy_samples_it(executable, tmp_path):
    cmdstanpy = pytest.importorskip("cmdstanpy")
    model = cmdstanpy.CmdStanModel(exe_file=executable)
    data = {"N": 5, "y": [1.0, 2.0, 3.0, 4.0, 5.0]}
    fit = model.sample(data, chains=2, seed=1, show_progress=False, output_dir=tmp_path)
    # By quadrature the mean is 2.944, the deviation 0.685; 5 Monte-Carlo errors at 500 effective draws.
    assert abs(fit.stan_variable("mu").mean() - 2.944) < 5 * 0.685 / 500**0.5


SPECIAL = """parameters { real<lower=0, upper=1> p; }
generated quantities {
  array[10] real f = {owens_t(0.5, 2), bessel_first_kind(2, 1.5), bessel_second_kind(1, 1.5),
    modified_bessel_first_kind(1, 1.5), modified_bessel_second_kind(2, 1.5), gamma_p(0.7, 1.2), gamma_q(30, 20),
    inc_beta(2, 3, 0.4), inv_erfc(0.3), digamma(0.1)};
}
"""


def test_special_functions_are_shared_by_all_programs_and_right(real, tmp_path):
    """Their start-up code lies in a unit of the runner, not in the program's own object."""
    from scipy import special

    cmdstanpy = pytest.importorskip("cmdstanpy")
    model = cmdstanpy.CmdStanModel(exe_file=compile_stan(SPECIAL))
    fit = model.sample(chains=1, iter_warmup=10, iter_sampling=1, sig_figs=17, show_progress=False, output_dir=tmp_path)
    expected = [
        special.owens_t(0.5, 2), special.jv(2, 1.5), special.yv(1, 1.5), special.iv(1, 1.5), special.kv(2, 1.5),
        special.gammainc(0.7, 1.2), special.gammaincc(30, 20), special.betainc(2, 3, 0.4),
        special.erfcinv(0.3), special.digamma(0.1),
    ]  # fmt: skip
    # Each library claims a few units in the last place; a hundred are allowed.
    assert fit.stan_variable("f")[0] == pytest.approx(expected, rel=100 * 2**-52)


@pytest.mark.skipif(shutil.which("nm") is None, reason="nm")
def test_a_programs_object_holds_no_start_up_code(executable, real):
    if stan_minor() != "35":
        pytest.skip("names of another Boost: everything is compiled as Stan has it (runner/lean/scistan/boost_start.hpp)")
    parts = {"kind": "object", "lean": read_runner().lean}
    entries = [e for e in open_store().entries(PRODUCTS) if parts.items() <= e.record.parts.items()]
    assert entries
    for path in (entry.folder / "object.o" for entry in entries):
        defined = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout
        assert "_initializer" not in defined


@pytest.mark.skipif(sys.platform != "linux", reason="ldd")
def test_tbb_comes_from_its_own_folder(executable):
    said = subprocess.run(["ldd", executable], capture_output=True, text=True, check=True).stdout
    assert str(executable.parent) in said.split("libtbb.so.2 => ")[1].split()[0]


def test_a_hit_imports_nothing_heavy(executable):
    code = f"""
import sys
import scistan
before = set(sys.modules)
from scistan.toolchain.build import compile_stan
compile_stan({MODEL!r})
print(*({{"cmdstanpy", "httpstan", "filelock", "tqdm", "tarfile", "torch"}} & (set(sys.modules) - before)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not done.stdout.split()


def test_two_models_one_of_them_wrong(executable):
    coin, bad, normal = compile_many([COIN, COIN.replace("(p)", "(q)"), MODEL])
    assert isinstance(coin, Path)
    assert isinstance(bad, StancError)
    assert bad.line == 3
    assert normal == executable


def test_the_list_names_header_runner_and_models(executable):
    what = [row.what for row in list_cache(open_store())]
    assert "precompiled header" in what
    assert "runner sample_diag.cpp" in what
    assert any("data { int<lower=0> N;" in row for row in what)


BAD = {
    "semantic": ("model {\n  real x = y;\n}\n", {}, "model.stan", 2, "not in scope"),
    "syntax": ("parameters {\n  real mu\n}\n", {}, "model.stan", 3, "expected"),
    "include": (
        "functions {\n#include f.stan\n}\n",
        {"f.stan": "real f(real x) {\n  return xx;\n}"},
        "f.stan",
        2,
        "not in scope",
    ),
    "missing include": (
        "functions {\n#include g.stan\n}\n",
        {"f.stan": ""},
        "model.stan",
        2,
        "could not find include",
    ),
}


@pytest.mark.parametrize(("text", "includes", "file", "line", "says"), BAD.values(), ids=BAD)
def test_stanc_s_complaints(own_cache, text, includes, file, line, says):
    with pytest.raises(StancError) as caught:
        compile_stan(text, includes=includes, progress=False)
    error = caught.value
    assert (error.file, error.line) == (file, line)
    assert says in error.message.lower()  # versions of stanc quote and begin sentences differently
    assert error.included_at == (2 if file == "f.stan" else None)
    assert "/tmp" not in str(error)
    assert not list((own_cache / "products").iterdir())  # nothing was compiled first


def test_a_bad_stanc_option_is_no_fault_of_the_program(real):
    from scistan.errors import ToolchainError

    with pytest.raises(ToolchainError, match="stanc failed") as caught:
        compile_stan(COIN, options=BuildOptions(stanc_options=("--no-such-option",)), progress=False)
    assert not isinstance(caught.value, StancError)
