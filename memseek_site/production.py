"""What production must be told: nothing is embedded, generated or guessed there."""

from memseek_site.environment import Environment

IDENTIFIER = "memseek.E004"
REQUIRED = {
    "DATABASE_URL": "Set it to a PostgreSQL with pgvector, for example postgresql://memseek_app@db/memseek.",
    "REDIS_URL": "Set it to a Redis or Valkey, for example redis://broker:6379/0.",
    "ALLOWED_HOSTS": "Set it to the site's host names, separated by commas.",
}


def require_production_settings(environment: Environment) -> None:
    """Note what is missing, and what has no place in production."""
    for name, hint in REQUIRED.items():
        if not environment.is_set(name):
            environment.reject(name, f"{name} is not set, and production embeds nothing.", hint, IDENTIFIER)
    if environment.is_set("MEMSEEK_DEBUG"):
        hint = "Unset it: error pages with traces show stored text."
        environment.reject("MEMSEEK_DEBUG", "MEMSEEK_DEBUG is set in production.", hint, IDENTIFIER)
