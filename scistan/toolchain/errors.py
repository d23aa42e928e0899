"""The toolchain's own kinds of ToolchainError; they are defined beside their words."""

from scistan.messages.toolchain import NoToolchainError, StancError

__all__ = ["NoToolchainError", "StancError"]
