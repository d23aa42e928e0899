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
GATHER = "tests/passes/test_gather.py"
VALUES = "tests/engines/test_values.py"
LIVE = "tests/toolchain/test_live_folders.py"
DENSITIES = "tests/distributions/test_densities.py"
STREAMS = "tests/targets/scipy/test_streams.py"
CERTIFICATE = "tests/inference/test_certificate.py"
CONSTRAINTS = "tests/distributions/test_constraints.py"
LEVELS = "tests/inference/test_new_levels.py"
LABELS = "tests/model/test_labels.py"
BIJECTIONS = "tests/targets/torch/test_bijections.py"
STATISTICS = "tests/diagnostics/test_statistics.py"
CURVATURE = "tests/inference/point/test_curvature.py"
INTERVALS = "tests/inference/point/test_intervals.py"
ESTIMATE = "tests/inference/point/test_estimate.py"
NESTED = "tests/inference/nested/test_exact.py"
FORMS = "tests/passes/integrate/test_integrate.py"
TRIES, INDEPENDENT = "tests/engines/test_tries.py", "tests/engines/test_independent.py"
SUMS = "tests/passes/integrate/test_sums.py"
BESIDE, CENTRING = "tests/passes/test_beside.py", "tests/inference/test_centring.py"
NESTED_PARTS = "tests/inference/nested/test_parts.py"
PRIORS = "tests/inference/test_prior_check.py"
BORDERS = "tests/passes/states/test_borders.py"

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
    Mutant("passes/batching.py", "if left.rank == 2 and right.rank == 1 and not left.varies:", "if left.rank == 2 and right.rank == 1:", GUARDS, "matrices"),
    Mutant("passes/batching.py", 'turned = OPS["transpose"].build((left.node,), {"order": (-1, -2)})', "turned = left.node", GUARDS, "matrix"),
    Mutant("distributions/ruled_out.py", "    if finite:", "    if True:", BORDERS, "density"),
    Mutant("passes/states/finite.py", "(low == 0 and domain.lower_open)", "low == 0", BORDERS, "density"),
    Mutant("passes/states/finite.py", "(high == 1 and domain.upper_open)", "high == 1", BORDERS, "density"),
    Mutant("passes/states/finite.py", "bool((self._numbers(node) > 0).all())", "True", BORDERS, "total"),
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
    Mutant("passes/stable.py", "sum(x * y, keepdims=False) -> x @ y ", "sum(x * y) -> x @ y ", GUARDS, "axis and joined"),
    Mutant("passes/stable.py", "isinstance(mu, Literal) and mu.value == 0 and", "isinstance(mu, Literal) and", GUARDS, "standard"),
    Mutant("passes/stable.py", "isinstance(sigma, Literal) and sigma.value == 1:", "isinstance(sigma, Literal):", GUARDS, "standard"),
    Mutant("passes/stable.py", 'return dict(node.attributes).get("axis", -1) == -1', "return True", GUARDS, "softmax"),
    Mutant("passes/signs.py", 'if op == "power":\n            return args[0]', 'if op == "power":\n            return True', GUARDS, "odd"),
    Mutant("passes/signs.py", "d.lower >= 0}", "d.lower >= -1}", GUARDS, "signs"),
    Mutant("constrained/ordered.py", "element=(0.0, math.inf)", "element=(-1.0, math.inf)", BIJECTIONS, "fill"),
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
    Mutant("passes/glm.py", "signed(beta, added), sum_of", "beta, sum_of", GUARDS, "subtracted"),
    Mutant("passes/glm.py", "if (varies and not d.glm.others_vary) or", "if", GUARDS, "glm"),
    Mutant("passes/glm.py", "or found.design.shape[0] == ONE != law.shape[0]:", ":", GUARDS, "glm"),
    Mutant("passes/gather.py", "(found[0], signed(found[1], added))", "found", GATHER, "all_ways"),
    Mutant("passes/gather.py", " or (rest and not d.glm.intercept)", "", GATHER, "ordered_categories"),
    Mutant("passes/gather.py", "return data.shape[0] != ONE or law.shape[0] == ONE", "return True", GATHER, "no_column"),
    Mutant("passes/gather.py", "columns >= glm.fewest", "columns > glm.fewest", GATHER, "as_many_columns"),
    Mutant("passes/linear.py", "positive = not positive", "positive = True", GATHER, "negative_inside"),
    Mutant("passes/linear.py", 'above == (top.op.name == "multiply")', "above", GATHER, "all_ways"),
    Mutant("passes/sufficient.py", "len(law.shape) != 1 or law.truncated or", "len(law.shape) != 1 or", GUARDS, "sufficient"),
    Mutant("passes/sufficient.py", "not scalar or len(law.shape) != 1 or", "not scalar or", GUARDS, "sufficient"),
    Mutant("passes/equal_rows.py", "np.unique(group * len(values) + place,", "np.unique(group + place,", ROWS),
    Mutant("passes/equal_rows.py", "if law.truncated or law.constraint or len(law.shape) != 1:", "if law.constraint or len(law.shape) != 1:", ROWS, "bounded"),
    Mutant("passes/equal_rows.py", "memo[arg] if k in places else arg for", "memo.get(arg, arg) for", ROWS, "others"),
    Mutant("passes/equal_rows.py", "wanted = {arg for arg in law.args if arg.shape and arg.shape[0] != ONE}", "wanted = {arg for arg in law.args if arg.shape and arg.shape[0] == law.shape[0]}", ROWS, "arithmetic"),
    Mutant("passes/equal_rows.py", "if not _sums_fit(observed, group, integer=law.distribution.discrete):", "if False:", ROWS, "beyond"),
    # what a slice or a row needs of others
    Mutant("ops/axes.py", "over = tuple((0, axis) for axis in sorted(gone))", "over = ()", "tests/ops/test_axes.py"),
    Mutant("ops/flow.py", "any(axis or (k, axis) in elsewhere for k, axis in sources)", "any(axis for k, axis in sources)", "tests/ops/test_axes.py", "some_positions"),
    Mutant("ops/flow.py", "any(axis or (k, axis) in elsewhere for", "any((k, axis) in elsewhere for", GUARDS, "slices"),
    Mutant("targets/stan/reduce_sum_slices.py", "tuple(k in places for k in range(len(node.args)))", "tuple(True for _ in node.args)", GUARDS, "slices"),
    Mutant("targets/stan/fill.py", "    if not shape:\n", "    if False:\n", GUARDS, "summed"),
    # densities, truncation, constraints
    Mutant("distributions/real_line.py", "square((x - mu) / sigma) - log(sigma) - LOG_SQRT_2PI", "square((x - mu) / sigma) - LOG_SQRT_2PI", DENSITIES, "Normal"),
    Mutant("distributions/real_line.py", "n * (log(sigma) + LOG_SQRT_2PI)", "(log(sigma) + LOG_SQRT_2PI)", "tests/passes/test_passes.py", "iid"),
    Mutant("distributions/density.py", "in_upper_tail = d.log_cdf(lower, *args) > d.log_ccdf(upper, *args)", "in_upper_tail = d.log_cdf(lower, *args) > 0", "tests/targets/test_stan_tails.py", "leave"),
    Mutant("constrained/ordered.py", "return orders - count * d.log_ccdf(", "return orders + count * d.log_ccdf(", "tests/distributions/test_constraints.py"),
    Mutant("constrained/ordered.py", "lgamma(Expression(extent(size)) + 1.0)", "lgamma(Expression(extent(size)))", "tests/distributions/test_constraints.py"),
    Mutant("targets/stan/truncation.py", 'f"-{count} * {mass}" if count else f"-{mass}"', 'f"-{mass}"', GUARDS, "bounded"),
    Mutant("targets/stan/truncation.py", "{name}_lcdf(low | {listed}) < log(0.5)", "{name}_lcdf(low | {listed}) > log(0.5)", "tests/targets/test_stan_tails.py"),
    Mutant("constrained/zero_sum.py", "0.5 * count * square(of_each(mu) / of_each(sigma))", "0.5 * square(of_each(mu) / of_each(sigma))", CONSTRAINTS),
    Mutant("constrained/zero_sum.py", "0.5 * log(variance / count)", "0.5 * log(variance)", CONSTRAINTS),
    Mutant("constrained/zero_sum.py", "return count * value if is_common(node)", "return value if is_common(node)", CONSTRAINTS),
    Mutant("constrained/shared.py", "whole[..., 0] if node.shape and is_common(node) else whole", "whole", CONSTRAINTS, "batch"),
    Mutant("constrained/ordered.py", "parameter == d.location_scale[0] and is_common(node)", "is_common(node)", "tests/distributions/test_constraints.py tests/model/test_bad_input.py"),
    Mutant("constrained/matrices.py", "before + 2.0 * log_left", "before + log_left", BIJECTIONS, "jacobian"),
    Mutant("constrained/interval.py", "log(width) + log_inv_logit(u)", "log_inv_logit(u)", BIJECTIONS, "bounds"),
    Mutant("constrained/zero_sum.py", "signs / np.sqrt(k * (k + 1))[:, None]", "signs", BIJECTIONS, "back"),
    # labels and streams
    Mutant("model/axes.py", "moved = np.take(now, order, axis=axis)", "moved = np.take(now, np.argsort(order), axis=axis)", LABELS),
    Mutant("model/axes.py", "dict(self.coords), dict(self.values), set(self.declared), dict(self.parents), dict(self.labels),", "self.coords, self.values, set(self.declared), dict(self.parents), dict(self.labels),", LABELS),
    Mutant("model/axes.py", "for leaf, axis in self.leaves.get(other, ()):", "for leaf, axis in self.leaves.get(kept, ()):", LABELS),
    Mutant("model/axes.py", "            if other in self.ordered:\n", "            if False:\n", LABELS),
    Mutant("model/axes.py", "if self._any_moved(root):", "if False:", LABELS),
    Mutant("model/axes.py", "if own is None and given is None and not any(named):", "if own is None and given is None:", LABELS),
    Mutant("inference/levels.py", "return stream(self.fit_seed, f", "return stream(0, f", LEVELS),
    Mutant("inference/levels.py", "repr(int(plain) if isinstance(plain, float) and plain.is_integer() else plain)", "repr(plain)", LEVELS, "equal_labels"),
    Mutant("inference/levels.py", 'if policy == "draw":', "if True:", LEVELS, "average"),
    Mutant("inference/levels.py", "if before == after and size not in replaced and unlabelled:", "if before == after and unlabelled:", LEVELS, "row"),
    Mutant("inference/levels.py", "before, after = (slice(None), rows) if labelled else (rows, slice(None))", "before, after = rows, slice(None)", LEVELS),
    Mutant("model/model.py", "other, labels = copy(self), coords or {}", "other, labels = self, coords or {}", "tests/model/test_with_data.py", "original or same_length"),
    Mutant("inference/levels.py", "[old.places.get(label, _NEW) for label in new.places]", "list(range(len(new.places)))", "tests/inference/test_new_levels.py"),
    Mutant("inference/levels.py", 'f"{self.name}[{\', \'.join(map(_spelled, labels))}]"', 'f"[{\', \'.join(map(_spelled, labels))}]"', "tests/inference/test_new_levels.py"),
    Mutant("targets/scipy/streams.py", "hashlib.sha256(name.encode())", "hashlib.sha256(name[:12].encode())", STREAMS, "names"),
    Mutant("inference/generated.py", "return seed if block == 0 else", "return seed if block >= 0 else", "tests/inference/test_mcmc_predict.py", "blocks"),
    # engines, starts, choices
    Mutant("engines/stanli.py", "_slice(values, raw, warm, None),", "_slice(values, raw, 0, -warm or None),", VALUES, "stanli"),
    Mutant("engines/stanli.py", "for init in request.inits]", "for init in request.inits[:1] * len(request.inits)]", VALUES, "stanli"),
    Mutant("engines/trace.py", "kept[source][ours][k, : lengths[-1]] = rows[tuning:]", "kept[source][ours][k, : lengths[-1]] = rows[: lengths[-1]]", VALUES, "nutpie"),
    Mutant("engines/cmdstan.py", "kept = _chains(names, total[:, warm:])", "kept = _chains(names, total[:, :wanted])", VALUES, "cmdstan"),
    Mutant("engines/cmdstan.py", ".write_text(request.inits[k])", ".write_text(request.inits[0])", VALUES, "cmdstan"),
    Mutant("engines/nutpie_chain.py", "np.random.SeedSequence([seed, number])", "np.random.SeedSequence([seed])", VALUES, "nutpie"),
    Mutant("engines/nutpie_chain.py", "np.random.SeedSequence([seed, number])", "np.random.SeedSequence([number])", VALUES, "nutpie"),
    Mutant("engines/cmdstan.py", 'f"seed={request.seed}"', '"seed=1"', VALUES, "cmdstan"),
    Mutant("engines/cmdstan_methods.py", '"seed": request.seed, "output_dir"', '"seed": 1, "output_dir"', VALUES, "methods"),
    Mutant("engines/stanli_methods.py", '{"seed": self.request.seed, **more}', '{"seed": 1, **more}', VALUES, "methods"),
    Mutant("engines/stanli_methods.py", "target += {request.constant!r};", "target += 0;", "tests/engines/test_stanli_methods.py", "constants"),
    Mutant("inference/resample.py", "p=np.exp(weights)", "p=None", "tests/engines/test_stanli_methods.py", "weighed"),
    Mutant("inference/approximate.py", "start = None if starts is None else starts[0]", "start = None", VALUES, "method_starts"),
    Mutant("inference/inits.py", "return [(k % had, int(rng.integers(draws)))", "return [(0, int(rng.integers(draws)))", "tests/inference/test_mcmc_inits.py", "estimate_and_a_fit"),
    Mutant("inference/inits.py", "fill(n, chain) for n in names", "fill(n, 0) for n in names", "tests/inference/test_mcmc_inits.py", "left_open"),
    Mutant("inference/climb.py", "best = min(good, key=_severity)", "best = good[-1]", "tests/inference/test_mcmc_auto.py", "best"),
    Mutant("inference/climb.py", "return len(attempt.ill), sum(", "return 0, sum(", "tests/inference/test_mcmc_auto.py", "best"),
    Mutant("inference/curvature.py", "np.sqrt(np.sqrt(np.diag(np.linalg.inv(bends)) / np.diag(bends)))", "np.sqrt(1 / np.diag(bends))", "tests/inference/test_curvature.py", "exact"),
    Mutant("inference/race.py", "slower.cost > WAIT * quicker.cost", "False", "tests/inference/test_mcmc_auto.py", "longer_wait"),
    Mutant("inference/decide.py", "ordered = plans if asked.seeded else winner_first(plans, sampled)", "ordered = winner_first(plans, sampled)", "tests/inference/test_mcmc_auto.py", "won_before"),
    # diagnostics
    Mutant("diagnostics/statistics.py", "np.fmin(below, above)", "below", STATISTICS),
    Mutant("diagnostics/statistics.py", "r = np.maximum(_rhat(chains.first(len(x))), _rhat(_Chains.of(ranked.folded.reshape(shape))))", "r = _rhat(chains.first(len(x)))", STATISTICS),
    Mutant("diagnostics/statistics.py", "covariance[:, :1] * n / (n - 1) - covariance", "covariance[:, :1] - covariance", STATISTICS),
    Mutant("diagnostics/statistics.py", "np.minimum.accumulate(np.where(positive, pairs, 0), axis=1)", "np.where(positive, pairs, 0)", STATISTICS),
    Mutant("diagnostics/statistics.py", "energy.var(1, ddof=1)", "energy.var(1)", STATISTICS, "bfmi"),
    Mutant("diagnostics/statistics.py", "    if len(late):\n", "    if False:\n", STATISTICS, "late"),
    Mutant("diagnostics/ranks.py", "/ 2 - 0.375) / (count + 0.25)", "/ 2) / (count + 1)", "tests/diagnostics/test_ranks.py"),
    Mutant("importance.py", "(n * shape + _PRIOR_WEIGHT * _PRIOR_SHAPE) / (n + _PRIOR_WEIGHT)", "shape", "tests/test_importance.py"),
    # point searches and batches
    Mutant("inference/point/mode.py", "if others and float(second.value[best]) > mode.value + same_height(mode.value):", "if False:", "tests/inference/point/test_audit.py", "better_mode"),
    Mutant("inference/point/adam.py", "weight = batches.total / batch.size", "weight = 1.0", "tests/inference/point/test_batches.py", "weight"),
    Mutant("targets/torch/batches.py", "share = batch.size / self.total", "share = 1.0", "tests/inference/point/test_batches.py", "add_up"),
    Mutant("inference/point/profile.py", "(2 * fall).sqrt()", "fall.sqrt()", ESTIMATE, "profile"),
    Mutant("inference/point/intervals.py", "lower + above * np.exp(step / above)", "lower + above * np.exp(step)", INTERVALS, "one_bound"),
    Mutant("inference/point/curvature.py", "noise[..., : len(self._free)] @ self.roots", "noise[..., : len(self._free)] @ self.roots.mT", CURVATURE, "draws"),
    Mutant("inference/point/arrow.py", "= -self._torch.einsum", "= self._torch.einsum", CURVATURE),
    Mutant("inference/point/uncertainty.py", "variance = 2 * (locally * _mix(across, globally)).sum(0)", "variance = (locally * _mix(across, globally)).sum(0)", CURVATURE, "form"),
    Mutant("inference/point/uncertainty.py", "if max(astray) > 1e-8 * (1 + float(expected.abs().max())):", "if False:", CURVATURE),
    Mutant("inference/point/chain.py", "links = -to_right @ left", "links = to_right @ left", "tests/inference/point/test_chain.py"),
    Mutant("inference/point/elimination.py", "within, beside, beside.mT)", "within, beside, beside)", "tests/inference/point/test_chain.py"),
    Mutant("distributions/paths.py", "c[lead:] - self._steps(c)[0]", "c[lead:]", "tests/inference/point/marginal/test_chains.py", "values"),
    Mutant("inference/point/marginal/structure.py", "middle + 0.5 * size * beside", "middle", "tests/inference/point/marginal/test_surface.py", "beside"),
    Mutant("inference/point/laplace.py", ".at(mode.q + offsets)", ".at(offsets)", ESTIMATE, "draws_as"),
    Mutant("inference/point/audit.py", "if long < _FLAT or short < _SHARE * 0.5 * steps[1] ** 2:", "if False:", "tests/inference/point/test_audit.py"),
    Mutant("inference/point/starts.py", "        points[0] = around\n", "", VALUES, "estimate_starts"),
    # nested Laplace
    Mutant("inference/nested/rows.py", "log_weights - np.repeat(proposed, each)", "log_weights + np.repeat(proposed, each)", NESTED, "mode"),
    Mutant("inference/nested/within.py", "+ made.log_volume - log_determinant", "+ made.log_volume", NESTED_PARTS, "lattice"),
    Mutant("passes/integrate/statistics.py", "held(rest, structure))", "(set(), set()))", "tests/passes/integrate/test_digits.py", "explain"),
    Mutant("engines/tries.py", "max(rest + math.exp", "max(0 * rest + math.exp", TRIES, "whatever"),
    Mutant("engines/tries.py", "math.exp(min(other - weight, 0.0))", "1.0", TRIES, "whatever"),
    Mutant("passes/beside.py", "if sign == added and times is data", "if times is data", BESIDE, "added_to"),
    Mutant("passes/beside.py", "and term.value not in alone", "", BESIDE, "wherever"),
    Mutant("passes/beside.py", "if min(rivals, key=sizes.__getitem__) is latent else []", "", BESIDE, "added_to"),
    Mutant("distributions/standard.py", "pull = pull - information * sum", "pull = pull + information * sum", CENTRING, "beside"),
    Mutant("engines/proposal.py", "constant -= np.log((self.below + self.above) / 2).sum()", "constant -= 0.0", TRIES, "without_a_step"),
    Mutant("engines/proposal.py", "* (self.below + self.above) < self.below", "< 0.5", TRIES, "without_a_step"),
    Mutant("engines/independent.py", "if any(best.apart(other) > _APART", "if any(False and best.apart(other) > _APART", INDEPENDENT, "two"),
    Mutant("passes/integrate/normal.py", "* math.log(2 * math.pi) - determinant", "* math.log(2 * math.pi)", FORMS, "uneven"),
    Mutant("passes/integrate/sums.py", "total[np.abs(total) <= ROUNDING * size] = 0.0", "pass", SUMS, "differences"),
    Mutant("passes/integrate/sums.py", "before[place[1:]] = np.where(goes_on, place[:-1], -1)", "before[place[1:]] = place[:-1]", SUMS, "differences"),
    Mutant("passes/integrate/statistics.py", "rest += [] if ties.all() else [layer.rows(np.flatnonzero(~ties))]", "pass", FORMS, "steps"),
    Mutant("inference/nested/groups.py", "torch.where(inside, spelled, torch.full_like(spelled, count))", "spelled", NESTED_PARTS, "groups"),
    Mutant("inference/nested/lowered.py", "modes = max(modes, within)", "pass", "tests/inference/nested/test_surface.py", "mode_of_effects"),
    # certificates and locks
    Mutant("inference/certify.py", "explained = abs(after - 2 * here + before) / (2 * STEP)", 'explained = float("inf")', CERTIFICATE),
    Mutant("inference/certify.py", "            apart += 1\n", "            zeros += 1\n", CERTIFICATE, "none"),
    Mutant("inference/certify.py", "left = max(0.0, abs(by_engine - by_scipy) - explained)", "left = 0.0", CERTIFICATE, "lie"),
    Mutant("inference/certify.py", "max(0.0, off - NOISES * (seen.noise + base.noise))", "off", CERTIFICATE, "rounding"),
    Mutant("inference/certify.py", "off = abs((seen.engine - base.engine) - (seen.scipy - base.scipy))", "off = 0.0", CERTIFICATE),
    Mutant("inference/certify.py", "float(size) + abs(jacobian), engine - jacobian", "float(size) + abs(jacobian), engine", CERTIFICATE),
    Mutant("inference/certify.py", "told.doubt <= _DOUBT", "True", CERTIFICATE, "hide"),
    Mutant("inference/certificate.py", "bool(self.density_agrees and self.gradient_agrees)", "bool(self.density_agrees)", CERTIFICATE),
    Mutant("toolchain/workspace.py", 'if os.name != "posix" else try_lock(descriptor)', 'if os.name != "posix" else True', LIVE),
    Mutant("toolchain/workspace.py", "if try_lock(owner) and owner_of(folder).exists():", "if try_lock(owner):", LIVE),
    Mutant("toolchain/use.py", "if os.fstat(descriptor).st_ino != os.stat(record).st_ino:", "if False:", LIVE),
    Mutant("toolchain/use.py", "yield try_lock(descriptor)", "yield True", "tests/toolchain/test_evict.py", "held"),
    Mutant("toolchain/wheel_build.py", "if None in before or before != [identity(path) for path in objects]:", "if False:", "tests/toolchain/test_clearing.py", "linked"),
    Mutant("inference/judge/tasks.py", "            ask_for_interrupts()\n", "", "tests/inference/judge/test_tasks.py", "drops"),
    # prior checks: what is drawn again, and what a constant may be
    Mutant("targets/scipy/redraw.py", "reached[node] = node in gone or any(reached[arg] for arg in node.args)", "reached[node] = node in gone", PRIORS, "moved or step"),
    Mutant("targets/scipy/redraw.py", "if term.law is not old[term.name] or _reaches", "if _reaches", PRIORS, "moved"),
    Mutant("inference/prior_check/change.py", "lower, upper = (cutting(bounds[side], own, tuple(args), side) for side in", "lower, upper = (bounds[side] for side in", PRIORS, "cut"),
    Mutant("inference/prior_check/change.py", "not np.all(low < high)", "False", PRIORS, "sense"),
    Mutant("inference/prior_check/checks.py", "return value < self.threshold if self.below else value > self.threshold", "return value > self.threshold", PRIORS, "sick or sensible"),
)
# fmt: on
