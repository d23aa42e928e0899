"""Advisory locks on open files that die with their owner; where the system has none, every lock succeeds."""

from __future__ import annotations

import errno
import sys

__all__ = ["try_lock"]

if sys.platform != "win32":
    import fcntl

    def try_lock(descriptor: int, *, shared: bool = False) -> bool:
        """Lock an open file without waiting; False when another holder stands in the way."""
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                return False
            if error.errno in (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK, errno.EBADF):
                return True  # a file system without locks (or, on NFS, without shared ones on this handle)
            raise
        return True

else:

    def try_lock(descriptor: int, *, shared: bool = False) -> bool:
        """Say yes: Windows itself refuses to delete what is open or running."""
        return True
