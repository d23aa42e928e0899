"""Faults planted by hand, a line each, and the tests that must notice them: `make mutants` runs them all."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MUTANTS", "Mutant"]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: the one place in `file` (under scistan/) where `old` stands becomes `new`; `only` narrows the tests."""

    file: str
    old: str
    new: str
    tests: str
    only: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.old.strip()} -> {self.new.strip() or 'nothing'}"


GUARDS = "tests/passes/test_guards.py"
ROWS = "tests/passes/test_equal_rows.py"
VALUES = "tests/engines/test_values.py"
LIVE = "tests/toolchain/test_live_folders.py"
DENSITIES = "tests/distributions/test_densities.py"
STREAMS = "tests/targets/scipy/test_streams.py"
CERTIFICATE = "tests/inference/test_certificate.py"

# fmt: off
MUTANTS = (
    # passes: where a rewrite must hold back
    Mutant("passes/slots.py", "len(column) == axis.today and column == list(range(len(column)))", "len(column) == axis.today", GUARDS, "permuted"),
    Mutant("passes/slots.py", "whole_numbers and len(column) == axis.today and", "whole_numbers and", GUARDS, "part"),
    Mutant("passes/slots.py", "if len(varying) == 1 and along:", "if along:", GUARDS, "diagonal or column"),
    Mutant("passes/slots.py", "if base.varies or FULL in items[: varying[0]]:", "if base.varies:", GUARDS, "columns or shares"),
    Mutant("passes/slots.py", "if base.varies or FULL in", "if FULL in", GUARDS, "element"),
    Mutant("passes/vectorize.py", "template.key.append(tuple(numbers[node] for node in law.inputs))", "pass", GUARDS, "shared"),
    Mutant("passes/vectorize.py", "d.name, law.lower is None,", "law.lower is None,", GUARDS, "families"),
    Mutant("passes/vectorize.py", "d.name, law.lower is None, law.upper is None,", "d.name,", GUARDS, "bounds"),
    Mutant("passes/batching.py", "if not arg.varies or arg.rank == rank:", "if True:", GUARDS, "number"),
    Mutant("passes/batching.py", "if left.rank == 1 and right.rank == 2 and not right.varies:", "if left.rank == 1 and right.rank == 2:", GUARDS, "matrices"),
    Mutant("passes/batching.py", 'turned = OPS["transpose"].build((left.node,), {"order": (-1, -2)})', "turned = left.node", GUARDS, "matrix"),
    Mutant("passes/lists.py", "return axis == -len(node.shape) and", "return", GUARDS, "lists"),
    Mutant("passes/lists.py", "all(part.shape == (ONE,) for part in node.args)", "True", GUARDS, "lists"),
    Mutant("passes/lists.py", "if any(template.key != templates[0].key for template in templates):", "if False:", GUARDS, "lists"),
    Mutant("passes/stable.py", '"long": lambda x, y: ONE not in (*x.shape, *y.shape),', '"long": lambda x, y: True,', GUARDS, "lengths or column"),
    Mutant("passes/stable.py", '"real": lambda x, y: not (x.integer and y.integer),', '"real": lambda x, y: True,', GUARDS, "whole"),
    Mutant("passes/stable.py", '"vector": lambda x: len(x.shape) == 1,', '"vector": lambda x: True,', GUARDS, "shares or tables or transpose"),
    Mutant("passes/stable.py", '"vectors": lambda x, y: len(x.shape) == len(y.shape) == 1,', '"vectors": lambda x, y: True,', GUARDS, "table or matrix"),
    Mutant("passes/stable.py", '"positive": signs.is_positive,', '"positive": lambda x: True,', GUARDS, "signed"),
    Mutant("passes/stable.py", '"positives": lambda x, y: signs.is_positive(x) and signs.is_positive(y),', '"positives": lambda x, y: True,', GUARDS, "signed"),
    Mutant("passes/stable.py", 'or not all(map(signs.is_positive, inner.args)):', ":", GUARDS, "signed or odd"),
    Mutant("passes/stable.py", "sum(x * y, keepdims=False) -> x @ y ", "sum(x * y) -> x @ y ", GUARDS, "keeps"),
    Mutant("passes/stable.py", 'or law.truncated or "StdNormal"', 'or "StdNormal"', GUARDS, "standard"),
    Mutant("passes/stable.py", 'return dict(node.attributes).get("axis", -1) == -1', "return True", GUARDS, "softmax"),
    Mutant("passes/signs.py", 'if op == "power":\n            return args[0]', 'if op == "power":\n            return True', GUARDS, "odd"),
    Mutant("passes/signs.py", "d.lower >= 0}", "d.lower >= -1}", GUARDS, "signs"),
    Mutant("passes/signs.py", 'd.structure == "positive_ordered"', 'd.structure == "ordered"', GUARDS, "signs"),
    Mutant("passes/signs.py", "node.args[0].value == 1 and args[1]", "node.args[0].value == 1", GUARDS, "less"),
    Mutant("passes/signs.py", "isinstance(node.args[0], Literal) and node.args[0].value == 1 and", "", GUARDS, "less"),
    Mutant("passes/kernels.py", "if constant != -0.5 or", "if", GUARDS, "kernels"),
    Mutant("passes/kernels.py", "and root is not None and signs.is_positive(root):", "and root is not None:", GUARDS, "kernels"),
    Mutant("passes/kernels.py", "if x is None or rho.shape or not signs.is_positive(rho):", "if x is None or rho.shape:", GUARDS, "kernels"),
    Mutant("passes/kernels.py", "alpha is literal(1.0) and squared", "squared", GUARDS, "heights"),
    Mutant("passes/kernels.py", "list(powers.values()) == [2]", "len(powers) == 1", GUARDS, "height"),
    Mutant("passes/factor.py", "if not self._signs.is_positive(scale):", "if False:", GUARDS, "cholesky"),
    Mutant("passes/factor.py", "right.args[0] is left and self.is_factor(left):", "right.args[0] is left:", GUARDS, "cholesky"),
    Mutant("passes/noncenter.py", "or frame is None or law.truncated or", "or frame is None or", GUARDS, "noncenter"),
    Mutant("passes/glm.py", "len(law.shape) != 1 or law.truncated or", "len(law.shape) != 1 or", GUARDS, "glm"),
    Mutant("passes/glm.py", "if terms[chosen][1] < 0:", "if False:", GUARDS, "subtracted"),
    Mutant("passes/glm.py", "if (varies and not d.glm.others_vary) or", "if", GUARDS, "glm"),
    Mutant("passes/glm.py", "or found.design.shape[0] == ONE != law.shape[0]:", ":", GUARDS, "glm"),
    Mutant("passes/sufficient.py", "len(law.shape) != 1 or law.truncated or", "len(law.shape) != 1 or", GUARDS, "sufficient"),
    Mutant("passes/sufficient.py", "not scalar or len(law.shape) != 1 or", "not scalar or", GUARDS, "sufficient"),
    Mutant("passes/equal_rows.py", "np.unique(group * len(values) + place,", "np.unique(group + place,", ROWS),
    Mutant("passes/equal_rows.py", "if law.truncated or law.constraint or len(law.shape) != 1:", "if law.constraint or len(law.shape) != 1:", ROWS, "bounded"),
    Mutant("passes/equal_rows.py", "places if places and all(has_rows(node.args[k]) for k in places) else None", "places or None", ROWS),
    # what a slice or a row needs of others
    Mutant("ops/axes.py", "over = tuple((0, axis) for axis in sorted(gone))", "over = ()", "tests/ops/test_axes.py"),
    Mutant("ops/flow.py", "any(axis or (k, axis) in elsewhere for k, axis in sources)", "any(axis for k, axis in sources)", GUARDS, "slices"),
    Mutant("ops/flow.py", "any(axis or (k, axis) in elsewhere for", "any((k, axis) in elsewhere for", GUARDS, "slices"),
    Mutant("targets/stan/reduce_sum_slices.py", "tuple(k in places for k in range(len(node.args)))", "tuple(True for _ in node.args)", GUARDS, "slices"),
    Mutant("targets/stan/fill.py", "    if not shape:\n", "    if False:\n", GUARDS, "summed"),
    # densities, truncation, constraints
    Mutant("distributions/real_line.py", "square((x - mu) / sigma) - log(sigma) - LOG_SQRT_2PI", "square((x - mu) / sigma) - LOG_SQRT_2PI", DENSITIES, "Normal"),
    Mutant("distributions/real_line.py", "n * (log(sigma) + LOG_SQRT_2PI)", "(log(sigma) + LOG_SQRT_2PI)", "tests/passes/test_passes.py", "iid"),
    Mutant("distributions/density.py", "in_upper_tail = d.log_cdf(lower, *args) > d.log_ccdf(upper, *args)", "in_upper_tail = d.log_cdf(lower, *args) > 0", "tests/distributions/test_borders.py tests/distributions/test_densities.py tests/distributions/test_declarations.py"),
    Mutant("distributions/constraints.py", "return orders - count * d.log_ccdf(", "return orders + count * d.log_ccdf(", "tests/distributions/test_constraints.py"),
    Mutant("distributions/constraints.py", "lgamma(Expression(extent(size)) + 1.0)", "lgamma(Expression(extent(size)))", "tests/distributions/test_constraints.py"),
    Mutant("targets/stan/truncation.py", 'f"-{count} * {mass}" if count else f"-{mass}"', 'f"-{mass}"', GUARDS, "bounded"),
    Mutant("targets/stan/truncation.py", "{name}_lcdf(low | {listed}) < log(0.5)", "{name}_lcdf(low | {listed}) > log(0.5)", "tests/targets/test_stan_tails.py"),
    # labels and streams
    Mutant("model/model.py", "other, labels = copy(self), coords or {}", "other, labels = self, coords or {}", "tests/model/test_with_data.py", "original or same_length"),
    Mutant("inference/levels.py", "[old.places.get(label, _NEW) for label in new.places]", "list(range(len(new.places)))", "tests/inference/test_new_levels.py"),
    Mutant("inference/levels.py", 'f"{self.name}[{\', \'.join(map(_spelled, labels))}]"', 'f"[{\', \'.join(map(_spelled, labels))}]"', "tests/inference/test_new_levels.py"),
    Mutant("targets/scipy/streams.py", "hashlib.sha256(name.encode())", "hashlib.sha256(name[:12].encode())", STREAMS, "names"),
    Mutant("inference/generated.py", "return seed if block == 0 else", "return seed if block >= 0 else", "tests/inference/test_mcmc_predict.py", "blocks"),
    # engines, starts, choices
    Mutant("engines/stanli.py", "_slice(values, raw, warm, None),", "_slice(values, raw, 0, -warm or None),", VALUES, "stanli"),
    Mutant("engines/stanli.py", "for init in request.inits]", "for init in request.inits[:1] * len(request.inits)]", VALUES, "stanli"),
    Mutant("engines/nutpie.py", "np.random.SeedSequence([seed, number])", "np.random.SeedSequence([seed])", VALUES, "nutpie"),
    Mutant("engines/nutpie.py", "np.random.SeedSequence([seed, number])", "np.random.SeedSequence([number])", VALUES, "nutpie"),
    Mutant("engines/cmdstan.py", 'f"seed={request.seed}"', '"seed=1"', VALUES, "cmdstan"),
    Mutant("inference/approximate.py", '"seed": used, "output_dir"', '"seed": 1, "output_dir"', VALUES, "methods"),
    Mutant("inference/inits.py", "return [(k % had, int(rng.integers(draws)))", "return [(0, int(rng.integers(draws)))", "tests/inference/test_mcmc_inits.py", "estimate_and_a_fit"),
    Mutant("inference/inits.py", "fill(n, chain) for n in names", "fill(n, 0) for n in names", "tests/inference/test_mcmc_inits.py", "left_open"),
    Mutant("inference/climb.py", "best = min(good, key=_severity)", "best = good[-1]", "tests/inference/test_mcmc_auto.py", "best"),
    # point searches and batches
    Mutant("inference/point/mode.py", "if float(second.value[best]) > mode.value + same_height(mode.value):", "if False:", "tests/inference/point/test_audit.py", "better_mode"),
    Mutant("inference/point/adam.py", "weight = batches.total / batch.size", "weight = 1.0", "tests/inference/point/test_batches.py", "weight"),
    Mutant("targets/torch/batches.py", "share = batch.size / self.total", "share = 1.0", "tests/inference/point/test_batches.py", "add_up"),
    # certificates and locks
    Mutant("inference/certify.py", "off = abs((seen.engine - base.engine) - (seen.scipy - base.scipy))", "off = 0.0", CERTIFICATE),
    Mutant("inference/certify.py", "float(size) + abs(jacobian), engine - jacobian", "float(size) + abs(jacobian), engine", CERTIFICATE),
    Mutant("inference/certify.py", "told.doubt <= _DOUBT", "True", CERTIFICATE),
    Mutant("inference/certificate.py", "bool(self.density_agrees and self.gradient_agrees)", "bool(self.density_agrees)", CERTIFICATE),
    Mutant("toolchain/workspace.py", 'if os.name != "posix" else try_lock(descriptor)', 'if os.name != "posix" else True', LIVE),
    Mutant("toolchain/workspace.py", "if try_lock(owner) and owner_of(folder).exists():", "if try_lock(owner):", LIVE),
    Mutant("toolchain/use.py", "if os.fstat(descriptor).st_ino != os.stat(record).st_ino:", "if False:", LIVE),
    Mutant("toolchain/use.py", "yield try_lock(descriptor)", "yield True", "tests/toolchain/test_evict.py", "held"),
)
# fmt: on
