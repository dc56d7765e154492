"""The Celery application: its settings come from `config/settings.py`, its clock from `ella/jobs.py`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("ella")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["ella", "ella.memory", "ella.conversation"])
