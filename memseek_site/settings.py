"""Settings: the only place that reads the environment. docs/deployment.md lists every variable."""

from pathlib import Path
from typing import Any

from corsheaders.defaults import default_headers
from csp.constants import NONE, SELF
from kombu import Queue

from memseek_site.admin_theme import UNFOLD  # noqa: F401  # the theme reads it from here
from memseek_site.broker_address import read_broker_url
from memseek_site.databases import database_at, embedded_database, embedded_owner, with_pool
from memseek_site.embedded.layout import layout_of
from memseek_site.environment import Environment
from memseek_site.logs import logging_settings
from memseek_site.origins import read_origins
from memseek_site.product_reading import read_product_settings
from memseek_site.production import require_production_settings
from memseek_site.secret_key import read_secret_key

BASE_DIR = Path(__file__).resolve().parent.parent

ENVIRONMENT = Environment()
ENVIRONMENT.add_file(
    BASE_DIR
    / ENVIRONMENT.text("MEMSEEK_ENV_FILE", ".env", about="File with more variables; the shell's come first.")
)

IS_PRODUCTION = (
    ENVIRONMENT.choice(
        "MEMSEEK_ENV",
        "development",
        ("development", "production"),
        about="In production nothing is embedded or generated, and https is expected.",
    )
    == "production"
)
DEBUG = ENVIRONMENT.flag(
    "MEMSEEK_DEBUG", default=False, about="Error pages with traces; never in production."
)
DATA_DIR = ENVIRONMENT.folder(
    "MEMSEEK_DATA_DIR",
    BASE_DIR / ".memseek",
    about="Folder of the embedded servers, their logs and the generated secret key.",
    shown_default=".memseek",
)
SECRET_KEY = read_secret_key(ENVIRONMENT, DATA_DIR, is_production=IS_PRODUCTION)
ALLOWED_HOSTS = list(ENVIRONMENT.names("ALLOWED_HOSTS", about="Host names the site answers to."))
if not ALLOWED_HOSTS:
    ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]

if IS_PRODUCTION:
    require_production_settings(ENVIRONMENT)
    DEBUG = False

MEMSEEK = read_product_settings(ENVIRONMENT, DATA_DIR, is_production=IS_PRODUCTION)

# Applications -------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "memseek_site.apps.SiteConfig",
    "memory",
    "showcase",
    "unfold.apps.BasicAppConfig",
    "memseek_site.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "corsheaders",
    "csp",
    "rest_framework",
    # Files of the API's page; the document itself needs no application.
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "memseek_site.requests.RequestMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "memseek_site.static_files.StaticFilesMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "memseek_site.urls"
ASGI_APPLICATION = "memseek_site.asgi.application"
WSGI_APPLICATION = "memseek_site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"

LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = "memseek_site.formats"
TIME_ZONE = "UTC"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Database -----------------------------------------------------------------------------------------------

_layout = layout_of(DATA_DIR)
_database_url = ENVIRONMENT.text("DATABASE_URL", about="PostgreSQL with pgvector; the embedded one if unset.")
_owner_url = ENVIRONMENT.text(
    "DATABASE_OWNER_URL", about="The schema's owner, used by migrate; DATABASE_URL's role if unset."
)
_pool_size = ENVIRONMENT.count(
    "DATABASE_POOL_SIZE", 20, least=2, about="Connections at most, for each process."
)
# A pooler that shares connections by transaction may know nothing of what was prepared before.
_keeps_plans = ENVIRONMENT.choice(
    "DATABASE_PREPARED_STATEMENTS",
    "auto",
    ("auto", "on", "off"),
    about="Plans of prepared statements kept for each connection; `auto`: by the embedded server alone.",
)
IS_DATABASE_EMBEDDED = not _database_url
DATABASE_OWNER: dict[str, Any] | None = None
if IS_DATABASE_EMBEDDED:
    _database: dict[str, Any] | None = embedded_database(_layout)
    DATABASE_OWNER = embedded_owner(_layout)
else:
    _database = database_at(ENVIRONMENT, "DATABASE_URL", _database_url)
    if _owner_url:
        DATABASE_OWNER = database_at(ENVIRONMENT, "DATABASE_OWNER_URL", _owner_url)
DATABASES = {
    "default": with_pool(
        _database or embedded_database(_layout),
        size=_pool_size,
        keeps_plans=_keeps_plans == "on" or (_keeps_plans == "auto" and IS_DATABASE_EMBEDDED),
    )
}

# Broker and worker --------------------------------------------------------------------------------------

REDIS_URL = ENVIRONMENT.text(
    "REDIS_URL", about="Redis or Valkey that carries tasks; the embedded one if unset."
)
IS_BROKER_EMBEDDED = not REDIS_URL

CELERY_BROKER_URL = read_broker_url(
    ENVIRONMENT, REDIS_URL, embedded=f"redis+socket://{_layout.broker_socket}"
)
# The result of a task is in its Run row.
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# The visibility timeout exceeds the longest run: a task that is still running must not come again.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "unacked_restore_interval": 2,
    "unacked_restore_throttle": 1,
}
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = ENVIRONMENT.count(
    "MEMSEEK_WORKER_THREADS", 8, least=1, about="Steps that a worker process runs at once."
)
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_DEFAULT_QUEUE = "cascade"
CELERY_TASK_QUEUES = [Queue(name) for name in ("cascade", "index", "sandbox", "maintenance")]
CELERY_TIMEZONE = "UTC"
# The schedule is static and remembers nothing: a sweep too many does no harm.
CELERY_BEAT_SCHEDULER = "memseek_site.steady_beat:SteadyScheduler"
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "memory.sweep",
        "schedule": MEMSEEK.waking.sweep_seconds,
        # It does not expire: a worker whose clock is ahead of the sender's would throw every sweep away.
        "options": {"queue": "maintenance"},
    },
    "retention": {
        "task": "memory.retention",
        "schedule": MEMSEEK.retention_seconds,
        "options": {"queue": "maintenance", "expires": MEMSEEK.retention_seconds},
    },
}

# Pages and the API --------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = BASE_DIR / "staticfiles"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if IS_PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
# Outside production, files are served from where they lie: nothing has to be collected first.
WHITENOISE_AUTOREFRESH = not IS_PRODUCTION
WHITENOISE_USE_FINDERS = not IS_PRODUCTION

CORS_ALLOWED_ORIGINS = list(read_origins(ENVIRONMENT))
CORS_ALLOW_CREDENTIALS = False
CORS_ALLOW_HEADERS = [
    *default_headers,
    *("idempotency-key", "if-match", "if-none-match", "last-event-id", "x-request-id"),
]
CORS_EXPOSE_HEADERS = [
    *("ETag", "Idempotency-Replayed", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"),
    *("Retry-After", "WWW-Authenticate", "X-Request-ID"),
]
# Other origins may call the API with a key; pages and admin are for this origin alone.
CORS_URLS_REGEX = r"^/(health|timeline|records|api/.*)$"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
    },
}

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
}

# Transport security -------------------------------------------------------------------------------------

_is_https = ENVIRONMENT.choice(
    "MEMSEEK_HTTPS",
    "auto",
    ("auto", "on", "off"),
    about="Redirect to https, HSTS and secure cookies; `auto` is on in production.",
)
IS_HTTPS = _is_https == "on" or (_is_https == "auto" and IS_PRODUCTION)
SECURE_SSL_REDIRECT = IS_HTTPS
# Load balancers and Prometheus ask over plain http.
SECURE_REDIRECT_EXEMPT = [r"^health$", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000 if IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = IS_HTTPS
SECURE_HSTS_PRELOAD = IS_HTTPS
SESSION_COOKIE_SECURE = IS_HTTPS
CSRF_COOKIE_SECURE = IS_HTTPS
CSRF_TRUSTED_ORIGINS = list(
    ENVIRONMENT.names(
        "CSRF_TRUSTED_ORIGINS", about="Origins of the site itself when a proxy changes its host."
    )
)
if ENVIRONMENT.flag(
    "MEMSEEK_BEHIND_PROXY",
    default=False,
    about="A proxy in front sets X-Forwarded-Proto and drops what clients send.",
):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Logs ---------------------------------------------------------------------------------------------------

LOGGING = logging_settings(
    level=ENVIRONMENT.choice(
        "MEMSEEK_LOG_LEVEL",
        "INFO",
        ("DEBUG", "INFO", "WARNING", "ERROR"),
        about="Least level that is logged.",
    ),
    shape=ENVIRONMENT.choice(
        "MEMSEEK_LOG_FORMAT",
        "json" if IS_PRODUCTION else "text",
        ("text", "json"),
        about="Shape of a log line; json in production.",
    ),
)
