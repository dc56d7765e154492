"""
Every setting of the house, in one file, read from the environment (and from `.env` where there is one).

Nothing needs setting to start: without `DATABASE_URL` the house lives in SQLite, without `REDIS_URL` its jobs travel
through a folder, without `ANTHROPIC_API_KEY` a stand-in model answers. A wrong value never crashes at first use: a
system check names it with a hint. This file decides no behaviour; it only says what may differ between installations.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import django_stubs_ext
import environ
import structlog
from django.core.management.utils import get_random_secret_key

# Lets Django's own generic classes be written with their type, as in `ModelAdmin[Turn]`; changes nothing else.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
UNREADABLE_SETTINGS: dict[str, str] = {}


class Environment(environ.Env):  # type: ignore[misc] # it has no types
    """What is set from outside. A value of the wrong kind leaves its default in place, and ella.E009 names it."""

    def get_value(
        self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, parse_default: bool = False
    ) -> Any:
        try:
            return super().get_value(var, cast, default, parse_default)
        except ValueError:
            UNREADABLE_SETTINGS[var] = cast.__name__
            return default


env = Environment()
env.read_env(env.str("ENV_FILE", default=str(BASE_DIR / ".env")))

# Everything the embedded default writes (database, job folder, secret) lives here and nowhere else.
VAR_DIR = Path(env.str("VAR_DIR", default=str(BASE_DIR / "var")))
VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)  # people's words are in it


def _own_secret_key() -> str:
    """The embedded default makes itself a key once. `check --deploy` asks a production for its own (ella.E001)."""
    path = VAR_DIR / "secret_key"
    try:
        with path.open("x") as fresh:
            path.chmod(0o600)
            fresh.write(get_random_secret_key())
    except FileExistsError:
        pass
    return path.read_text() or get_random_secret_key()


DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY_FROM_ENV = env.str("SECRET_KEY", default="")
SECRET_KEY = SECRET_KEY_FROM_ENV or _own_secret_key()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# HTTPS is the operator's: behind a proxy that ends TLS, set HTTPS=true and all of this follows.
HTTPS = env.bool("HTTPS", default=False)
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^health/"]  # the proxy's own probes speak plain HTTP
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=31_536_000 if HTTPS else 0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "ella",
    "ella.people",
    "ella.conversation",
    "ella.llm",
    "ella.memory",
    "ledger",
    "selflog",
    "boundary",
    "notifications",
    "worldgen",
    "config.apps.EllaAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "drf_standardized_errors",
    "django_structlog",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "ella.security_headers.security_headers",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "ella.body_length.BodyLengthMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
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
            ]
        },
    }
]

# --- Storage ---------------------------------------------------------------------------------------------------------

EMBEDDED_DATABASE_URL = f"sqlite:///{VAR_DIR / 'ella.sqlite3'}"
DATABASE_URL = env.str("DATABASE_URL", default="") or EMBEDDED_DATABASE_URL


def _database(url: str) -> dict[str, Any]:
    """The database at `url`. One this house does not run on becomes Django's placeholder, which ella.E005 explains."""
    try:
        found: dict[str, Any] = env.db_url_config(url)
    except ValueError:
        found = {}
    runs_on = ("django.db.backends.sqlite3", "django.db.backends.postgresql")
    return found if found.get("ENGINE") in runs_on else {"ENGINE": "django.db.backends.dummy"}


DATABASES = {"default": _database(DATABASE_URL)}
DATABASE_POOL_SIZE = env.int("DATABASE_POOL_SIZE", default=16)
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        # IMMEDIATE: a transaction that will write says so at its start, so two writers queue up instead of one of
        # them failing half way.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA mmap_size=134217728; PRAGMA cache_size=-16000;"
        ),
    }
elif DATABASES["default"]["ENGINE"].endswith("postgresql"):
    # Beside what DATABASE_URL itself may ask for, as in `?sslmode=require`.
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = {
        "min_size": 1,
        "max_size": DATABASE_POOL_SIZE,
        "timeout": 30,
    }

# Worker threads in which the asynchronous turn runs its short database steps; a turn holds none of them while the
# model speaks. 0 runs them in the thread that asked (tests use it to stay inside one transaction).
DATABASE_THREADS = env.int("DATABASE_THREADS", default=8)

REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "ella"}}

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# The token table is ours (people.DeviceToken): knox is to make none beside it.
MIGRATION_MODULES = {"knox": None}

# --- Jobs ------------------------------------------------------------------------------------------------------------

CELERY_BROKER_URL = REDIS_URL or "folder://"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
if REDIS_URL:
    # Above every hard time limit below, or Redis would hand a running task to a second worker.
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {"visibility_timeout": 900}
else:
    CELERY_BROKER_TRANSPORT_OPTIONS = {"folder": str(VAR_DIR / "jobs"), "polling_interval": 0.05}
    # Asking a running worker something needs a broker that tells everybody at once; a folder does not.
    CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
    # Without an asynchronous broker Celery's forked children share one pipe and its lock; one killed while it waits
    # takes the lock with it, and no other ever gets a task again. Threads of one process live and die together.
    CELERY_WORKER_POOL = "threads"
CELERY_TIMEZONE = "UTC"
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
# A nudge is not worth waiting for: the clock's sweep finds what one that was not sent would have told.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_TIME_LIMIT = 300
CELERY_TASK_SOFT_TIME_LIMIT = 240
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "house"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
# Model calls wait on the network for seconds: a queue of their own, so that they never stand before quick work.
CELERY_TASK_ROUTES = {"ella.memory.tasks.*": {"queue": "model"}}

# --- The model -------------------------------------------------------------------------------------------------------

ANTHROPIC_API_KEY = env.str("ANTHROPIC_API_KEY", default="")
OFFLINE_MODEL_URL = env.str("OFFLINE_MODEL_URL", default="http://127.0.0.1:8765").rstrip("/")
MODEL_BASE_URL = env.str("MODEL_BASE_URL", default="" if ANTHROPIC_API_KEY else OFFLINE_MODEL_URL).rstrip("/")
# True: a real language model writes her words. False: the stand-in does, and every page says so.
MODEL_CONNECTED = bool(ANTHROPIC_API_KEY) and MODEL_BASE_URL != OFFLINE_MODEL_URL

# Purpose → what asks the model. Each value has an environment variable of its own.
MODEL_PURPOSES = {
    "live_reply": {
        "model": env.str("MODEL_LIVE_REPLY", default="claude-sonnet-5-5"),
        "max_tokens": env.int("MAX_TOKENS_LIVE_REPLY", default=1500),
        "effort": env.str("EFFORT_LIVE_REPLY", default="low"),
        "daily_budget_usd": env.str("BUDGET_LIVE_REPLY", default="50"),
    },
    "memory_extract": {
        "model": env.str("MODEL_MEMORY_EXTRACT", default="claude-haiku-5-5"),
        "max_tokens": env.int("MAX_TOKENS_MEMORY_EXTRACT", default=2000),
        "effort": env.str("EFFORT_MEMORY_EXTRACT", default="low"),
        "daily_budget_usd": env.str("BUDGET_MEMORY_EXTRACT", default="20"),
    },
}
# US dollars one person may cost in one UTC day, all purposes together.
MODEL_DAILY_BUDGET_PER_PERSON_USD = env.str("BUDGET_PER_PERSON", default="2")
MODEL_CONNECT_TIMEOUT_S = env.float("MODEL_CONNECT_TIMEOUT_S", default=5.0)
MODEL_FIRST_BYTE_TIMEOUT_S = env.float("MODEL_FIRST_BYTE_TIMEOUT_S", default=20.0)
# Our own cap on what a `retry-after` may ask: longer than this and the turn fails now with a clear code.
MODEL_RETRY_CAP_S = env.float("MODEL_RETRY_CAP_S", default=2.0)
MODEL_RETRIES = env.int("MODEL_RETRIES", default=2)
TURN_TIME_LIMIT_S = env.float("TURN_TIME_LIMIT_S", default=60.0)
# A turn's runner says "still here" this often; after the lease nobody is, and the same client_id may take the turn
# over.
TURN_LEASE_S = env.float("TURN_LEASE_S", default=12.0)
TURN_WAIT_LIMIT_S = env.float("TURN_WAIT_LIMIT_S", default=180.0)
REMEMBER_LEASE_S = env.float("REMEMBER_LEASE_S", default=90.0)
REMEMBER_ATTEMPTS = env.int("REMEMBER_ATTEMPTS", default=8)

# Tokens (estimated at four characters each) of one compiled prompt; P0 is never cut and the rest shares what remains.
CONTEXT_BUDGET_TOKENS = env.int("CONTEXT_BUDGET_TOKENS", default=12_000)
CONTEXT_FACTS_TOKENS = env.int("CONTEXT_FACTS_TOKENS", default=3_000)

# --- People and the API ----------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "people.Person"
KNOX_TOKEN_MODEL = "people.DeviceToken"  # noqa: S105 (a table)
OPEN_REGISTRATION = env.bool("OPEN_REGISTRATION", default=False)
CSRF_FAILURE_VIEW = "ella.error_pages.csrf_failure"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "chat"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("username", "display_name")},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
MESSAGE_MAX_CHARS = 8_000

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "ella.people.tokens.DeviceTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["ella.api_fields.CleanJSONParser"],
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_PAGINATION_CLASS": "ella.pagination.NewestFirst",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "PAGE_SIZE": 50,
    "DEFAULT_THROTTLE_CLASSES": [
        "rest_framework.throttling.ScopedRateThrottle",
        "rest_framework.throttling.UserRateThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": {
        "anon": env.str("THROTTLE_ANON", default="120/min"),
        "user": env.str("THROTTLE_USER", default="1200/min"),
        "messages": env.str("THROTTLE_MESSAGES", default="300/min"),
        "login": env.str("THROTTLE_LOGIN", default="30/min"),
        "register": env.str("THROTTLE_REGISTER", default="60/min"),
    },
    "NUM_PROXIES": env.int("NUM_PROXIES", default=0),
    "DEFAULT_SCHEMA_CLASS": "ella.api_schema.ApiSchema",
    "EXCEPTION_HANDLER": "drf_standardized_errors.handler.exception_handler",
}
DRF_STANDARDIZED_ERRORS = {
    "ENABLE_IN_DEBUG_FOR_UNHANDLED_EXCEPTIONS": True,
    "EXCEPTION_HANDLER_CLASS": "ella.error_answers.ApiExceptionHandler",
    "EXCEPTION_FORMATTER_CLASS": "ella.error_answers.ApiFormatter",
    "ALLOWED_ERROR_STATUS_CODES": ["400", "401", "403", "404", "405", "406", "413", "415", "429", "500"],
}
REST_KNOX = {
    "TOKEN_TTL": timedelta(days=env.int("TOKEN_DAYS", default=90)),
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Ella",
    "DESCRIPTION": "Talk with Ella, and see what she holds about you.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    # Choices that stand under one field name in several places, or under several names.
    "ENUM_NAME_OVERRIDES": {
        "TurnStatus": "ella.conversation.models.Turn.Status",
        "FactStatus": "ledger.models.FactStatus",
        "ErrorType": "ella.api_schema.ErrorType",
    },
    # The docs page brings its own script and style: it works without a network.
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# --- Language, time, files, logs -------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True
# A file with an offset in seconds (ella/clock.py): for a demo that plays a week in a minute, never for people.
TRAVELLING_CLOCK_FILE = env.str("TRAVELLING_CLOCK_FILE", default="")
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "templates" / "static"]
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
# Without `collectstatic` (the embedded default) whitenoise serves straight from the source folders.
WHITENOISE_USE_FINDERS = True
WHITENOISE_MANIFEST_STRICT = False

LOG_LEVEL = env.str("LOG_LEVEL", default="INFO").upper()
# Tracebacks without local variables: a person's words stay out of the log, also when something breaks.
structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.filter_by_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        structlog.processors.UnicodeDecoder(),
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": structlog.stdlib.ProcessorFormatter,
            "processor": (
                structlog.processors.JSONRenderer(ensure_ascii=False)
                if env.bool("LOG_JSON", default=False)
                else structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
            ),
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        # One line for every request to the provider, with its address: the model call row says more.
        "httpx2": {"level": "WARNING"},
        # Two lines a request: of use when looking for something, noise otherwise.
        "django_structlog": {"level": "WARNING" if LOG_LEVEL == "INFO" else LOG_LEVEL},
    },
}

SILENCED_SYSTEM_CHECKS: list[str] = []
