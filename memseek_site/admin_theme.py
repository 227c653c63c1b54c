"""What the admin's theme is told: names, colours, styles, and where menu and dashboard come from."""

from typing import Any

from django.templatetags.static import static
from django.utils.functional import lazy

_static = lazy(static, str)

_PRIMARY = {
    "50": "#eef1fc",
    "100": "#dfe5fa",
    "200": "#c3cdf5",
    "300": "#9db2ff",
    "400": "#7c92ee",
    "500": "#5872de",
    "600": "#3552c9",
    "700": "#2b43a8",
    "800": "#253986",
    "900": "#1f2f6b",
    "950": "#141d42",
}

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Memseek",
    "SITE_HEADER": "Memseek",
    "SITE_SUBHEADER": "memory for agents",
    "SITE_URL": "/",
    "SITE_ICON": _static("img/mark.svg"),
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": _static("img/mark.svg")}],
    "SHOW_VIEW_ON_SITE": False,
    "BORDER_RADIUS": "6px",
    "COLORS": {"primary": _PRIMARY},
    "STYLES": [_static("css/admin.css")],
    "SIDEBAR": {"navigation": "memory.admin.navigation.groups"},
    "DASHBOARD_CALLBACK": "memory.admin.dashboard.with_figures",
}
