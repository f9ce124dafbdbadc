"""Django settings of the board; those specific to an installation come from environment variables."""

import os
from pathlib import Path

from django.utils.translation import gettext_lazy as _

from gluepot.board.server.accounts import *  # noqa: F403  settings for users: passwords, cookies, mail, rate limits
from gluepot.board.server.database import database_settings
from gluepot.board.server.setup import KEY, board_folder
from gluepot.board.storage import storage_settings

HERE = Path(__file__).parents[1]
FOLDER = board_folder()

SECRET_KEY = os.environ.get(KEY) or "set by place.open_board"
DEBUG = False
ALLOWED_HOSTS = os.environ.get("GLUEPOT_HOSTS", "localhost,127.0.0.1,[::1]").split(",")
DATABASES = {"default": database_settings()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    *("django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages"),
    *("django.contrib.staticfiles", "gluepot.board.moderation.apps.ModerationSite", "procrastinate.contrib.django"),
    *(
        "gluepot.board",
        "gluepot.board.rounds",
        "gluepot.board.accounts",
        "gluepot.board.submitting",
        "gluepot.board.moderation.apps.Moderation",
    ),
    *("allauth", "allauth.account", "allauth.mfa"),
]
MIDDLEWARE = [
    "gluepot.board.server.middleware.visitors.ClientAddressMiddleware",
    "gluepot.board.server.middleware.security.SecurityHeaders",
    "django.middleware.security.SecurityMiddleware",
    "gluepot.board.server.middleware.methods.AllowedMethodsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "gluepot.board.server.middleware.languages.FirstVisitLanguageMiddleware",
    "gluepot.board.server.middleware.caching.ResponseCacheMiddleware",
    "gluepot.board.server.middleware.private.PrivateAreaMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "gluepot.board.accounts.hosts.OwnHost",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
ROOT_URLCONF = "gluepot.board.server.urls"
WSGI_APPLICATION = "gluepot.board.server.serving.application"
LOADERS = ["django.template.loaders.filesystem.Loader", "django.template.loaders.app_directories.Loader"]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [HERE / "templates"],
        "OPTIONS": {
            "context_processors": [
                "gluepot.board.server.context.site",
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["django.templatetags.i18n", "gluepot.board.templatetags.shown"],
            "loaders": [("django.template.loaders.cached.Loader", LOADERS)],
        },
    }
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("sv", "Svenska"), ("da", "Dansk"), ("ru", "Русский"), ("eu", "Euskara")]
LOCALE_PATHS = [HERE / "locale"]
FORMAT_MODULE_PATH = "gluepot.board.server.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATICFILES_DIRS = [HERE / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
STORAGES = {
    "default": storage_settings(os.environ.get("GLUEPOT_STORAGE_URL", ""), FOLDER),
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

APPEND_SLASH = False
EMAIL_FILE_PATH = FOLDER / "mail"
"""Folder for outgoing mail if no mail server is configured."""
SITE_NAME = os.environ.get("GLUEPOT_SITE_NAME", "gluepot")
SITE_ADDRESS = os.environ.get("GLUEPOT_SITE_URL", "")
"""URL of the board in mail: https://board.example.org"""
SITE_SUMMARY = _("Benchmarks of language understanding, with honest intervals")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"without-outages": {"()": "gluepot.board.server.outages.OutageFilter"}},
    "formatters": {"masked": {"()": "gluepot.board.server.logs.MaskingFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "filters": ["without-outages"], "formatter": "masked"}},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "ERROR"},
        "django.security": {"level": "CRITICAL"},  # malformed requests get a 400: a traceback for each would fill the disk
        "waitress": {"handlers": ["stderr"], "level": "ERROR"},
        "procrastinate": {"handlers": ["stderr"], "level": "ERROR"},
        "asyncio": {"handlers": ["stderr"], "level": "ERROR"},
        "psycopg.pool": {"level": "CRITICAL"},  # logs every attempt to reach an unavailable database
    },
}
