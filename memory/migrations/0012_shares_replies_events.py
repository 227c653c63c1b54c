"""Shares, replies to writes that are sent again, and what streams read: see sql/0012_shares_replies_events.sql."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models

import memory.models.base

SQL = Path(__file__).parent / "sql"
WORKSPACE = {
    "db_index": False,
    "on_delete": django.db.models.deletion.CASCADE,
    "related_name": "+",
    "to": "memory.workspace",
}
ENTITY = {**WORKSPACE, "to": "memory.entity"}
SOMEBODY = {
    "blank": True,
    "null": True,
    "on_delete": django.db.models.deletion.SET_NULL,
    "related_name": "shares",
}
CREATED = models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0011_erasing"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Share",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("workspace", models.ForeignKey(**WORKSPACE)),
                ("entity", models.ForeignKey(**ENTITY)),
                ("created_at", CREATED.clone()),
                ("reader", models.ForeignKey(**ENTITY)),
                ("reason", models.CharField(blank=True, default="", max_length=500)),
                ("user", models.ForeignKey(**{**SOMEBODY, "to": settings.AUTH_USER_MODEL})),
                ("key", models.ForeignKey(**{**SOMEBODY, "to": "memory.key"})),
                (
                    "by",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Who it was where no account says so: a terminal.",
                        max_length=128,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "indexes": [models.Index(fields=["reader", "entity"], name="share_of_reader")],
                "constraints": [
                    models.UniqueConstraint(fields=("entity", "reader"), name="share_once"),
                    models.CheckConstraint(
                        condition=models.Q(("entity", models.F("reader")), _negated=True),
                        name="share_not_with_itself",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="IdempotentReply",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("workspace", models.ForeignKey(**WORKSPACE)),
                ("key", models.ForeignKey(**{**WORKSPACE, "to": "memory.key"})),
                (
                    "entity",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        help_text="Whose memory the write was about; empty for none, or for one that is gone.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="memory.entity",
                    ),
                ),
                (
                    "digest",
                    models.BinaryField(help_text="Keyed hash of the Idempotency-Key.", max_length=32),
                ),
                (
                    "request",
                    models.BinaryField(help_text="Keyed hash of method, address and body.", max_length=32),
                ),
                ("status", models.PositiveSmallIntegerField()),
                ("ids", models.JSONField(default=dict)),
                ("created_at", CREATED.clone()),
            ],
            options={
                "verbose_name_plural": "idempotent replies",
                "indexes": [
                    models.Index(
                        condition=models.Q(("entity__isnull", False)),
                        fields=["entity"],
                        name="idempotent_reply_of_entity",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("key", "digest"), name="idempotent_reply_once_per_key"),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.functions.text.Length("digest"), 32
                            ),
                            django.db.models.lookups.Exact(
                                django.db.models.functions.text.Length("request"), 32
                            ),
                        ),
                        name="idempotent_reply_digests_are_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("status__gte", 200), ("status__lt", 300)),
                        name="idempotent_reply_of_success",
                    ),
                ],
            },
        ),
        migrations.AlterField(
            model_name="outbox",
            name="entity",
            field=models.ForeignKey(
                **ENTITY,
                blank=True,
                null=True,
                help_text="Empty for the event of an entity that was erased whole: `ids` says which it was.",
            ),
        ),
        migrations.AddIndex(
            model_name="outbox",
            index=models.Index(fields=["transaction", "id"], name="outbox_order"),
        ),
        migrations.AddIndex(
            model_name="outbox",
            index=models.Index(
                condition=models.Q(("entity__isnull", True)),
                fields=["workspace", "transaction", "id"],
                name="outbox_of_the_gone",
            ),
        ),
        migrations.AddConstraint(
            model_name="outbox",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("entity__isnull", False),
                    models.Q(("event", "erased"), ("ids__has_key", "entity")),
                    _connector="OR",
                ),
                name="outbox_of_an_entity",
            ),
        ),
        migrations.RunSQL(
            (SQL / "0012_shares_replies_events.sql").read_text(),
            (SQL / "0012_shares_replies_events_reverse.sql").read_text(),
        ),
    ]
