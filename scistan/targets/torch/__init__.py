"""The torch target: log densities and gradients over constrained values or unconstrained coordinates."""

from scistan.targets.torch.batches import Batches
from scistan.targets.torch.convert import to_numpy
from scistan.targets.torch.density import LatentBlock, TorchDensity, joint_log_density
from scistan.targets.torch.devices import Target, choose_target

__all__ = ["Batches", "LatentBlock", "Target", "TorchDensity", "choose_target", "joint_log_density", "to_numpy"]
