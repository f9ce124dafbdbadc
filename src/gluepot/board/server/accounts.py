"""Django settings for users: authentication, sessions, rate limits, uploads and mail."""

import os
from urllib.parse import parse_qs, unquote, urlsplit

from gluepot.board.server.proxies import PROXIES

PUBLIC = "GLUEPOT_HOSTS" in os.environ
"""Whether the board is public, under host names set by the operator: HTTPS is then required."""

AUTH_USER_MODEL = "accounts.Member"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher", "django.contrib.auth.hashers.PBKDF2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"  # by URL name, so that it resolves in the visitor's language
LOGIN_REDIRECT_URL = "/submissions"
LOGOUT_REDIRECT_URL = "/"

ACCOUNT_ADAPTER = "gluepot.board.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_CONFIRM_EMAIL_ON_GET = False
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SIGNUP_FORM_HONEYPOT_FIELD = "homepage"
ACCOUNT_FORMS = {"signup": "gluepot.board.accounts.forms.RegistrationForm"}
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    "signup": "20/m/ip",
    "reset_password": "20/m/ip,5/m/key",
    "confirm_email": "1/30s/key",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = os.environ.get("GLUEPOT_SITE_NAME", "gluepot")

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = PUBLIC
SECURE_HSTS_SECONDS = 31_536_000 if PUBLIC else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = PUBLIC
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PROXIES else None  # stripped from requests of untrusted clients
CSRF_COOKIE_HTTPONLY = True
SECURE_REFERRER_POLICY = "same-origin"
CSRF_FAILURE_VIEW = "gluepot.board.views.errors.forged"

CACHES = {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cache_counts"}}
"""Counters of attempts, shared by all processes of the site."""

DATA_UPLOAD_MAX_MEMORY_SIZE = 2**18
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500
DATA_UPLOAD_MAX_NUMBER_FILES = 200
FILE_UPLOAD_MAX_MEMORY_SIZE = 2**20
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]


def mail_settings(address: str) -> dict[str, object]:
    """Convert a mail server URL to Django's mail settings.

    >>> mail_settings("smtps://ann:s%40fe@mail.example")["EMAIL_PORT"]
    465
    """
    parts = urlsplit(address)
    usual = {"smtp": 25, "smtps": 465, "smtp+tls": 587}
    if parts.scheme not in usual or not parts.hostname:
        raise ValueError("GLUEPOT_MAIL_URL: smtp://, smtps:// or smtp+tls://user:password@host:port is needed.")
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or usual[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_TIMEOUT": int(parse_qs(parts.query).get("timeout", ["10"])[0]),
    }


MAIL = os.environ.get("GLUEPOT_MAIL_URL", "")
EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend" if MAIL else "django.core.mail.backends.filebased.EmailBackend"
DEFAULT_FROM_EMAIL = SERVER_EMAIL = os.environ.get("GLUEPOT_MAIL_FROM", "gluepot@localhost")
if MAIL:
    globals().update(mail_settings(MAIL))
