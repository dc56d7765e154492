"""The Celery application. Its settings are in `config/settings.py`, its clock in `ella/jobs.py`."""

from __future__ import annotations

import os

from celery import Celery

from config import job_folder

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

job_folder.register()
app = Celery("ella")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["ella", "ella.memory"])
