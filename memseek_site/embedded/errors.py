"""What goes wrong with the embedded servers, in words a person can act on."""


class EmbeddedError(RuntimeError):
    """The embedded servers cannot run; the message says why and what to do."""


class MissingProgramError(EmbeddedError):
    """A server's program is not on this machine; the other server may still run."""
