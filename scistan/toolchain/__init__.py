"""Find or assemble a Stan toolchain, build executables, and keep them; sees Stan text, never graphs."""
