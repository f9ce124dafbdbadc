"""Django's settings for the board; what differs between installations comes from the environment."""

import os
from pathlib import Path

from django.utils.translation import gettext_lazy as _

from gluepot.board.server.database import database_settings
from gluepot.board.server.setup import KEY, board_folder

HERE = Path(__file__).parents[1]
FOLDER = board_folder()

SECRET_KEY = os.environ.get(KEY) or "set by place.open_board"
DEBUG = False
ALLOWED_HOSTS = os.environ.get("GLUEPOT_HOSTS", "localhost,127.0.0.1,[::1]").split(",")
DATABASES = {"default": database_settings()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = ["django.contrib.staticfiles", "gluepot.board"]
MIDDLEWARE = [
    "gluepot.board.server.security.SecurityHeaders",
    "gluepot.board.server.methods.Methods",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "gluepot.board.server.caching.Cached",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
]
ROOT_URLCONF = "gluepot.board.server.urls"
WSGI_APPLICATION = "gluepot.board.server.serving.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [HERE / "templates"],
        "OPTIONS": {
            "context_processors": ["gluepot.board.server.context.site"],
            "builtins": ["django.templatetags.i18n", "gluepot.board.templatetags.shown"],
            "loaders": [("django.template.loaders.cached.Loader", ["django.template.loaders.filesystem.Loader"])],
        },
    }
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("sv", "Svenska"), ("da", "Dansk"), ("ru", "Русский"), ("eu", "Euskara")]
LOCALE_PATHS = [HERE / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATICFILES_DIRS = [HERE / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": FOLDER / "files"}},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

APPEND_SLASH = False
SITE_NAME = os.environ.get("GLUEPOT_SITE_NAME", "gluepot")
SITE_SUMMARY = _("Benchmarks of language understanding, with honest intervals")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"without-outages": {"()": "gluepot.board.server.outages.WithoutOutages"}},
    "formatters": {"masked": {"()": "gluepot.board.server.logs.Masked"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "filters": ["without-outages"], "formatter": "masked"}},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "ERROR"},
        "django.security": {"level": "CRITICAL"},  # a visitor's odd request is answered with 400: a traceback each would fill the disk
        "waitress": {"handlers": ["stderr"], "level": "ERROR"},
    },
}
