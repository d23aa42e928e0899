"""How axes run through every op, as declared: held to what the op computes."""

import numpy as np
import pytest

from scistan.graph.node import Apply
from scistan.graph.walk import topological
from scistan.ops import REGISTRY, Expression
from scistan.ops.flow import axis_flow, carriers
from scistan.shapes import values_of
from tests.ops.op_cases import CASES, Case
from tests.ops.ops_support import free, node_of, value_of

every_case = pytest.mark.parametrize("case", CASES, ids=str)


@pytest.mark.parametrize("name", [name for name, op in REGISTRY.items() if not op.elementwise])
def test_every_op_with_a_shape_rule_says_what_it_does_to_axes(name):
    assert REGISTRY[name].axes is not None


def applied(case: Case):
    """Give each node of a case with the numbers of its arguments and its own."""
    for seed in range(3):
        shapes = case.shapes(np.random.default_rng(seed))
        inputs = [free(shape, f"x{k}") for k, shape in enumerate(shapes)]
        values = case.values(seed, shapes)
        root = node_of(case.build(*inputs))
        for node in topological([root]):
            if isinstance(node, Apply) and isinstance(node.op, type(REGISTRY["sum"])):
                yield node, [np.asarray(value_of(Expression(arg), inputs, values)) for arg in node.args]


def compute(node: Apply, values):
    """Apply a node's op to other numbers, of any lengths that its arguments may have."""
    leaves = [free(value.shape, f"a{k}") for k, value in enumerate(values)]
    made = node.op.build(tuple(map(node_of, leaves)), dict(node.attributes))
    return np.asarray(value_of(Expression(made), leaves, values))


@every_case
def test_some_positions_of_what_carries_the_first_axis_give_the_same_of_the_result(case):
    for node, values in applied(case):
        places = carriers(node)
        if places is None:
            continue
        whole = compute(node, values)
        some = [0, *range(2, len(whole)), 0] if len(whole) else []
        cut = [value[some] if k in places else value for k, value in enumerate(values)]
        np.testing.assert_allclose(compute(node, cut), whole[some], rtol=1e-12, atol=1e-12)


@every_case
def test_what_runs_along_an_axis_reaches_its_own_position_alone(case):
    for node, values in applied(case):
        flow = axis_flow(node)
        assert len(flow.along) == len(node.shape)
        before = compute(node, values)
        uses = [source for group in (*flow.along, *flow.inside) for source in group] + list(flow.over)
        for axis, sources in enumerate(flow.along):
            for k, own in sources:
                assert node.args[k].shape[own].today in (1, node.shape[axis].today)
                if uses.count((k, own)) > 1 or values[k].shape[own] == 1 or values[k].dtype.kind != "f":
                    continue
                changed = [value.copy() for value in values]
                np.moveaxis(changed[k], own, 0)[1] *= 1.01  # stays in the domain, and a position stays one
                after = compute(node, changed)
                rest = np.delete(np.arange(node.shape[axis].today), 1)
                np.testing.assert_array_equal(np.take(after, rest, axis), np.take(before, rest, axis))


@every_case
def test_an_axis_in_front_changes_nothing_where_an_op_says_so(case):
    for node, values in applied(case):
        if not node.op.stacks or len(values) != 1:
            continue
        both = np.stack([values[0], 0.5 * values[0]])
        expected = np.stack([compute(node, [one]) for one in both])
        np.testing.assert_allclose(compute(node, [both]), expected, rtol=1e-12, atol=1e-12)
        assert values_of(node.shape) == expected.shape[1:]


@every_case
def test_an_axis_that_is_nowhere_has_no_say(case):
    """What is combined, singled out or read by position is declared: of any other axis that is gone no number counts."""
    for node, values in applied(case):
        flow = axis_flow(node)
        groups = (*flow.along, *flow.inside, flow.by_position, flow.over)
        declared = {source for group in groups for source in group}
        before = compute(node, values)
        for k, value in enumerate(values):
            if value.dtype.kind != "f":
                continue
            for axis in range(value.ndim):
                if (k, axis) not in declared and value.shape[axis] > 1:
                    np.testing.assert_array_equal(compute(node, [*values[:k], value * 1.01, *values[k + 1 :]]), before)
