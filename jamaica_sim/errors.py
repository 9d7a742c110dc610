"""The one base class of errors that are the user's. Any other exception is a bug of ours, and must look like one."""


class UserError(ValueError):
    """A mistake in what the user asked for, in one sentence that says what to do; for callers, a `ValueError`."""
