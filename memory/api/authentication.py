"""Bearer keys and their scopes."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from memory.ingest.access import Access, open_access

SCHEME = "Bearer"


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer msk_…`; puts the key's Access on the request."""

    def authenticate(self, request: Request) -> tuple[Access, Access] | None:
        """The key's access; None without the header, an error for one that opens nothing."""
        header = get_authorization_header(request).decode("latin-1").split()
        if not header:
            return None
        if len(header) != 2 or header[0].lower() != SCHEME.lower():
            raise AuthenticationFailed("The Authorization header has to be: Bearer and a workspace key.")
        access = open_access(header[1])
        if access is None:
            raise AuthenticationFailed("This key is unknown, revoked or expired.")
        return access, access

    def authenticate_header(self, request: Request) -> str:
        """The challenge of a 401."""
        return SCHEME


class _HasScope(BasePermission):
    scope: str

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the key's scopes cover this door."""
        access: Any = request.auth
        self.message = f"This key has no {self.scope} scope."
        return isinstance(access, Access) and access.allows(self.scope)


def require_scope(request: Request, scope: str) -> None:
    """For doors where only some of what may be asked needs more; PermissionDenied without the scope."""
    access: Any = request.auth
    if not access.allows(scope):
        raise PermissionDenied(f"This key has no {scope} scope.")


class CanRead(_HasScope):
    """Keys with scope read, write or admin."""

    scope = "read"


class CanWrite(_HasScope):
    """Keys with scope write or admin."""

    scope = "write"


class CanAdmin(_HasScope):
    """Keys with scope admin: what takes memory away or carries all of it out needs more than writing."""

    scope = "admin"
