"""Wording of what can go wrong while an expression is written: indices, axes, shapes, functions of NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from scistan.errors import ArgumentError, ModelError
from scistan.graph.places import user_place
from scistan.messages.arguments import Lengths
from scistan.messages.neighbours import of_distributions_elsewhere
from scistan.messages.values import name_given


class NoValueYetError(ModelError):
    """A number was asked of what has none yet."""


def truth_of_expression() -> ModelError:
    return NoValueYetError(
        "an expression of a model has no value yet: neither true nor false, and no number.",
        remedy="use `ss.where(condition, a, b)` instead of `if`, `ss.maximum` instead of `max`, "
        "and `ss.` functions instead of `math.`",
        place=user_place(),
    )


def fixed_expression() -> ModelError:
    return ModelError(
        "an element of an expression cannot be replaced: what is named once keeps its meaning.",
        remedy="choose elements with `ss.where(condition, a, b)`, or join parts with `ss.concatenate([...])`",
        place=user_place(),
    )


def no_array() -> ModelError:
    return NoValueYetError(
        "an expression of a model has no value yet, and cannot become an array of numbers.",
        remedy="put expressions together with `ss.stack([...])`, use `ss.` functions where a library's own ask for "
        "numbers, and for `table @ m.beta` with pandas on the left name the table, `m.x = ss.data(table)`; "
        "what `np.random` would draw is a variable, `m.z = ss.Normal(m.mu, m.sigma)`",
        place=user_place(),
    )


class UnknownMethodError(ModelError, AttributeError):
    """A name after the dot that expressions do not have."""


def unknown_method(name: str, known: Sequence[str]) -> ModelError:
    if name == "observe":
        return UnknownMethodError(
            "a variable that has its name already cannot be observed any more.",
            remedy="write `.observe(values)` on the line that makes it, `m.y = ss.Normal(mu, sigma).observe(values)`",
            place=user_place(),
        )
    close = get_close_matches(name, known, n=1, cutoff=0.75)
    hint = f"did you mean `{close[0]}`?" if close else "the functions of NumPy and of `ss` work on expressions"
    return UnknownMethodError(f"an expression has no `{name}`.", remedy=hint, place=user_place())


def unknown_of_distribution(distribution: str, name: str, known: Sequence[str]) -> ModelError:
    close = get_close_matches(name, known, n=1, cutoff=0.75)
    spelled = f"did you mean `{close[0]}`?" if close else f"it has {', '.join(f'`{one}`' for one in known)}"
    remedy = of_distributions_elsewhere(name) or spelled
    return UnknownMethodError(f"`{distribution}` has no `{name}`.", remedy=remedy, place=user_place())


def no_length() -> ModelError:
    return ModelError(
        "a single number of a model has no length and no elements.",
        remedy="give the variable an axis, `shape=` or `dims=`; `ss.stack([a, b])` puts numbers together; what asks "
        "for values, such as `torch.tensor`, finds none yet",
        place=user_place(),
    )


def labelled_mask(shape: Lengths) -> ModelError:
    return ModelError(
        f"the labels of the mask cannot be matched with those of what it picks from, of shape {shape}.",
        remedy="bring the mask into its order and take the labels off, `mask.loc[labels].to_numpy()`",
        place=user_place(),
    )


def bad_index(shape: Lengths, why: str, remedy: str = "") -> ModelError:
    return ModelError(
        f"this index does not fit shape {shape}: {why}.",
        remedy=remedy or "indices count from 0, one for each axis at most; -1 is the last",
        place=user_place(),
    )


def no_whole_index(shape: Lengths) -> ModelError:
    return bad_index(
        shape,
        "an index must be whole numbers known as data",
        "name labels as a factor, `m.site = ss.factor(column)`; turn real numbers into whole ones with `.astype(int)`; "
        "for a choice that depends on a latent, `ss.where(condition, a, b)`",
    )


def label_as_index(shape: Lengths, label: str) -> ModelError:
    return bad_index(
        shape,
        f"{label!r} is a label, and an index is a position",
        "count the position from 0; the labels of rows are a factor, `m.site = ss.factor(column)` and "
        "`m.effect[m.site]`; draws are chosen by label, `fit[\"effect\"].sel(site=...)`",
    )


def truth_as_index(shape: Lengths, name: str) -> ModelError:
    return bad_index(
        shape,
        f"{f'`{name}`' if name else 'the index'} holds true and false, which may be a mask or the groups 0 and 1",
        "to keep the elements that are true, index with a NumPy array of booleans or with `np.flatnonzero(mask)`; "
        "for two groups make whole numbers of them, `ss.data(flags.astype(int))`",
    )


def bad_axis(name: str, axis: object, rank: int) -> ModelError:
    axes = {0: "is a single number", 1: "has 1 axis"}.get(rank, f"has {rank} axes")
    return ModelError(
        f"`{name}`: axis {name_given(axis)} does not exist, the value {axes}.",
        remedy=f"axes count from 0 to {rank - 1}, or from -1 backwards" if rank else "give it an axis, `x[None]`",
        place=user_place(),
    )


def bad_shapes(name: str, shapes: Sequence[Lengths], why: str) -> ModelError:
    shown = " and ".join(str(s) for s in shapes)
    remedy = "look at `.shape` of what is put together; `.T` transposes, `x[:, None]` adds an axis"
    return ModelError(f"`{name}` of shapes {shown}: {why}.", remedy=remedy, place=user_place())


_INSTEAD = {
    "slogdet": "`ss.log_determinant(a)` is its second part",
    "det": "`ss.exp(ss.log_determinant(a))` is its absolute value",
    "einsum": "`@`, `ss.outer` and sums along axes",
    "tensordot": "`@`, `ss.outer` and sums along axes",
    "cumprod": "`ss.exp(ss.cumsum(ss.log(x)))` for positive numbers",
    "cbrt": "`x ** (1 / 3)` for positive numbers",
    "gamma": "`ss.exp(ss.lgamma(x))`",
    "beta": "`ss.exp(ss.lbeta(a, b))`",
    "i0": "`ss.exp(ss.log_i0(x))`",
    "sort": 'draw ordered values: `constraint="ordered"`',
}


def unsupported_numpy(name: str) -> ModelError:
    return ModelError(
        f"NumPy's `{name}` does not work on expressions of a model.",
        remedy=_INSTEAD.get(name, "see the list of operations in the docs; `ss.declare_op` adds one"),
        place=user_place(),
    )


def torch_function(name: str, ours: bool) -> ArgumentError:
    instead = f"it is `ss.{name}` here" if ours else "use operators and the functions of `ss` or NumPy"
    return ArgumentError(
        f"torch's `{name}` computes with tensors, and an expression of a model has no value yet.",
        remedy=f"{instead}; "
        "`m.log_density(values, target=\"torch\")` evaluates the model in torch",
        place=user_place(),
    )


def stacked_unequal(shapes: Sequence[Lengths]) -> ModelError:
    shown = " and ".join(str(s) for s in shapes[:3])
    return ModelError(
        f"`stack` puts values of one shape side by side, and these have shapes {shown}.",
        remedy="widen the smaller ones first, `ss.broadcast_to(x, y.shape)`; `ss.concatenate([...])` joins vectors "
        "of different lengths",
        place=user_place(),
    )


def inside_xarray(dims: tuple[str, ...]) -> ModelError:
    along = ", ".join(f"`{dim}`" for dim in dims)
    return ModelError(
        f"xarray computed with a quantity of a model by position, and the labels along {along or 'its axes'} are lost.",
        remedy="write the quantity first, `m.x + array`, or make the array data of the model, `ss.data(array)`",
        place=user_place(),
    )


def too_deep(most: int) -> ModelError:
    return ModelError(
        f"the values are nested in more than {most} tuples, lists or dicts within each other.",
        remedy="give arrays, or a list of them; a list that holds itself has no end",
        place=user_place(),
    )
