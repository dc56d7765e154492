"""Settings, addresses and entry points. Nothing here decides how Ella behaves."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
