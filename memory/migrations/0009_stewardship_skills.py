import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
import memory.models.base
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '__first__'),
        ('memory', '0008_sessions_claims_graph_integrity'),
    ]

    operations = [
        migrations.CreateModel(
            name='TaskTrace',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('external_id', models.CharField(blank=True, max_length=128, null=True)),
                ('task', models.CharField(help_text='What was asked for.', max_length=500)),
                ('outcome', models.CharField(choices=[('success', 'Success'), ('partial', 'Partial'), ('failure', 'Failure'), ('unknown', 'Unknown')], default='unknown', max_length=8)),
                ('note', models.CharField(blank=True, default='', help_text='What came of it.', max_length=2000)),
                ('session', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='traces', to='memory.session')),
                ('occurred_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-created_at'],
                'indexes': [models.Index(models.F('entity'), models.OrderBy(models.F('created_at'), descending=True), name='trace_newest')],
                'constraints': [models.UniqueConstraint(fields=('entity', 'external_id'), name='trace_external_id_once'), models.UniqueConstraint(fields=('workspace', 'entity', 'id'), name='trace_of_entity'), models.CheckConstraint(condition=models.Q(('task', ''), _negated=True), name='trace_task_not_empty'), models.CheckConstraint(condition=models.Q(('outcome__in', ['success', 'partial', 'failure', 'unknown'])), name='trace_outcome_known')],
            },
        ),
        migrations.CreateModel(
            name='TraceStep',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('trace', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='steps', to='memory.tasktrace')),
                ('position', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(choices=[('instruction', 'instruction: what the person asked for or ruled'), ('action', 'action: what the agent did'), ('result', 'result: what came back'), ('check', 'check: how it was seen that it worked'), ('note', 'Note')], max_length=16)),
                ('tool_name', models.CharField(blank=True, default='', max_length=128)),
                ('text', models.TextField()),
                ('message', models.ForeignKey(blank=True, db_constraint=False, db_index=False, help_text='The turn it was.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='trace_steps', to='memory.message')),
            ],
            options={
                'ordering': ['trace', 'position'],
                'indexes': [models.Index(condition=models.Q(('message__isnull', False)), fields=['message'], name='trace_step_message')],
                'constraints': [models.UniqueConstraint(fields=('trace', 'position'), name='trace_step_position_once'), models.UniqueConstraint(fields=('workspace', 'entity', 'id'), name='trace_step_of_entity'), models.CheckConstraint(condition=models.Q(('kind__in', ['instruction', 'action', 'result', 'check', 'note'])), name='trace_step_kind_known'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='trace_step_text_not_empty'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('text'), 4000), name='trace_step_text_limit')],
            },
        ),
        migrations.CreateModel(
            name='Procedure',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('slug', models.CharField(editable=False, help_text='Opaque and stable, never from a title.', max_length=24)),
                ('status', models.CharField(choices=[('live', 'Live'), ('retired', 'Retired')], default='live', max_length=8)),
            ],
            options={
                'ordering': ['created_at'],
                'constraints': [models.UniqueConstraint(fields=('entity', 'slug'), name='procedure_slug_once'), models.UniqueConstraint(fields=('workspace', 'entity', 'id'), name='procedure_of_entity'), models.CheckConstraint(condition=models.Q(('status__in', ['live', 'retired'])), name='procedure_status_known')],
            },
        ),
        migrations.CreateModel(
            name='ProcedureVersion',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('procedure', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='memory.procedure')),
                ('seq', models.BigIntegerField(db_default=memory.models.base.NextRecordNumber(), editable=False, unique=True)),
                ('number', models.PositiveIntegerField()),
                ('status', models.CharField(choices=[('draft', 'draft: waits for a review'), ('active', 'active: handed to agents'), ('superseded', 'superseded: another version is active'), ('rejected', 'Rejected'), ('stale', 'stale: what it was drafted on is not current any more')], default='draft', max_length=12)),
                ('base', models.ForeignKey(blank=True, db_constraint=False, db_index=False, help_text='The version that was active when this one was drafted: lineage, not evidence.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='built_on', to='memory.procedureversion')),
                ('title', models.CharField(max_length=80)),
                ('boundary', models.CharField(blank=True, default='', help_text='Where the task begins and ends.', max_length=1000)),
                ('incidental', models.JSONField(blank=True, default=list, help_text='Details of single tasks that must not survive in it: names, numbers, dates.')),
                ('run', models.ForeignKey(blank=True, db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='procedure_versions', to='memory.run')),
                ('erased_at', models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                'ordering': ['procedure', 'number'],
                'indexes': [models.Index(fields=['entity', 'status'], name='procedure_version_status'), models.Index(models.F('entity'), models.OrderBy(models.F('seq'), descending=True), name='procedure_version_newest')],
                'constraints': [models.UniqueConstraint(fields=('procedure', 'number'), name='procedure_version_number_once'), models.UniqueConstraint(condition=models.Q(('status', 'active')), fields=('procedure',), name='procedure_one_active'), models.UniqueConstraint(condition=models.Q(('status', 'draft')), fields=('procedure',), name='procedure_one_draft'), models.UniqueConstraint(fields=('workspace', 'entity', 'id'), name='procedure_version_of_entity'), models.CheckConstraint(condition=models.Q(('status__in', ['draft', 'active', 'superseded', 'rejected', 'stale'])), name='procedure_version_status_known'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='procedure_version_number_from_one'), models.CheckConstraint(condition=models.Q(models.Q(('title', ''), _negated=True), ('erased_at__isnull', False), _connector='OR'), name='procedure_version_has_title'), models.CheckConstraint(condition=models.Q(('erased_at__isnull', True), models.Q(('status__in', ['draft', 'active']), _negated=True), _connector='OR'), name='procedure_version_erased_is_history')],
            },
        ),
        migrations.CreateModel(
            name='ProcedureLine',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('version', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='memory.procedureversion')),
                ('section', models.CharField(choices=[('when', 'Triggers: use it when'), ('when_not', 'Triggers: do not use it when'), ('procedure', 'Procedure'), ('validation', 'Validation'), ('escalation', 'Escalation')], max_length=12)),
                ('position', models.PositiveSmallIntegerField(help_text='Place in its version.')),
                ('text', models.CharField(blank=True, max_length=500)),
                ('erased_at', models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                'ordering': ['version', 'position'],
                'constraints': [models.UniqueConstraint(fields=('version', 'position'), name='procedure_line_position_once'), models.UniqueConstraint(fields=('workspace', 'entity', 'id'), name='procedure_line_of_entity'), models.CheckConstraint(condition=models.Q(('section__in', ['when', 'when_not', 'procedure', 'validation', 'escalation'])), name='procedure_line_section_known'), models.CheckConstraint(condition=models.Q(models.Q(('erased_at__isnull', True), models.Q(('text', ''), _negated=True)), models.Q(('erased_at__isnull', False), ('text', '')), _connector='OR'), name='procedure_line_text_until_erased')],
            },
        ),
        migrations.CreateModel(
            name='Review',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('version', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='reviews', to='memory.procedureversion')),
                ('verdict', models.CharField(choices=[('approved', 'Approved'), ('edited', 'edited and approved'), ('rejected', 'Rejected'), ('rolled_back', 'made active again'), ('retired', 'Retired')], max_length=12)),
                ('reason', models.CharField(blank=True, default='', max_length=500)),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='reviews', to=settings.AUTH_USER_MODEL)),
                ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='reviews', to='memory.key')),
                ('by', models.CharField(blank=True, default='', help_text='Who it was where no account says so: a terminal.', max_length=128)),
            ],
            options={
                'ordering': ['-created_at'],
                'indexes': [models.Index(models.F('entity'), models.OrderBy(models.F('created_at'), descending=True), name='review_newest')],
                'constraints': [models.CheckConstraint(condition=models.Q(('verdict__in', ['approved', 'edited', 'rejected', 'rolled_back', 'retired'])), name='review_verdict_known'), models.CheckConstraint(condition=models.Q(models.Q(('verdict', 'rejected'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='review_rejection_says_why')],
            },
        ),
        migrations.CreateModel(
            name='Use',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('kind', models.CharField(choices=[('context', 'Context'), ('compiled', 'compiled: the messages of a turn'), ('procedure', 'Procedure')], max_length=12)),
                ('sha256', models.CharField(max_length=64)),
                ('tokens', models.PositiveIntegerField()),
                ('manifest', models.JSONField(help_text='Blocks, ids and tokens; no words.')),
                ('procedure_versions', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, default=list, size=None)),
                ('records', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), blank=True, default=list, help_text='Ids of every row that was shown.', size=None)),
                ('request', models.TextField(blank=True, default='', help_text='What was asked; kept on request only.')),
                ('text', models.TextField(blank=True, default='', help_text='What was rendered; kept on request only.')),
                ('session', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='uses', to='memory.session')),
                ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='uses', to='memory.key')),
                ('expires_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-created_at'],
                'indexes': [models.Index(models.F('entity'), models.OrderBy(models.F('created_at'), descending=True), name='use_newest'), models.Index(fields=['workspace', 'expires_at'], name='use_expiring'), django.contrib.postgres.indexes.GinIndex(fields=['records'], name='use_records'), django.contrib.postgres.indexes.GinIndex(fields=['procedure_versions'], name='use_procedures')],
                'constraints': [models.UniqueConstraint(fields=('workspace', 'entity', 'id'), name='use_of_entity'), models.CheckConstraint(condition=models.Q(('kind__in', ['context', 'compiled', 'procedure'])), name='use_kind_known'), models.CheckConstraint(condition=models.Q(('sha256__regex', '^[0-9a-f]{64}$')), name='use_digest_is_whole'), models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='use_expires_later')],
            },
        ),
        migrations.CreateModel(
            name='Feedback',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('use', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='feedback', to='memory.use')),
                ('procedure_version', models.ForeignKey(blank=True, db_constraint=False, help_text='The version in the use that it is about, when there was one.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='feedback', to='memory.procedureversion')),
                ('kind', models.CharField(choices=[('thumbs_up', 'Thumbs Up'), ('thumbs_down', 'Thumbs Down'), ('correction', 'Correction'), ('task_success', 'Task Success'), ('task_failure', 'Task Failure'), ('exception', 'Exception'), ('evaluation', 'Evaluation')], max_length=16)),
                ('source', models.CharField(choices=[('end_user', 'End User'), ('operator', 'Operator'), ('evaluator', 'Evaluator'), ('application', 'Application')], max_length=12)),
                ('score', models.DecimalField(blank=True, decimal_places=4, max_digits=5, null=True)),
                ('label', models.CharField(blank=True, default='', max_length=64)),
                ('comment', models.TextField(blank=True, default='')),
                ('expected', models.TextField(blank=True, default='')),
                ('actual', models.TextField(blank=True, default='')),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='feedback', to=settings.AUTH_USER_MODEL)),
                ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='feedback', to='memory.key')),
            ],
            options={
                'verbose_name_plural': 'feedback',
                'ordering': ['-created_at'],
                'indexes': [models.Index(models.F('entity'), models.OrderBy(models.F('created_at'), descending=True), name='feedback_newest')],
                'constraints': [models.UniqueConstraint(fields=('workspace', 'entity', 'id'), name='feedback_of_entity'), models.CheckConstraint(condition=models.Q(('kind__in', ['thumbs_up', 'thumbs_down', 'correction', 'task_success', 'task_failure', 'exception', 'evaluation'])), name='feedback_kind_known'), models.CheckConstraint(condition=models.Q(('source__in', ['end_user', 'operator', 'evaluator', 'application'])), name='feedback_source_known'), models.CheckConstraint(condition=models.Q(('score__isnull', True), ('score__range', (0, 1)), _connector='OR'), name='feedback_score_range'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('comment'), 4000), name='feedback_comment_limit'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('expected'), 4000), name='feedback_expected_limit'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('actual'), 4000), name='feedback_actual_limit')],
            },
        ),
        migrations.CreateModel(
            name='SkillInput',
            fields=[
                ('consumed_by', models.ForeignKey(blank=True, db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.run')),
                ('parked_by', models.ForeignKey(blank=True, db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.run')),
                ('parked_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('trace', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.tasktrace')),
                ('feedback', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.feedback')),
                ('queued_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('consumed_by__isnull', True), ('parked_at__isnull', True)), fields=['entity', 'id'], name='skill_input_pending'), models.Index(condition=models.Q(('consumed_by__isnull', True), ('parked_at__isnull', False)), fields=['entity'], name='skill_input_parked')],
                'constraints': [models.UniqueConstraint(fields=('trace',), name='skill_input_trace_once'), models.UniqueConstraint(fields=('feedback',), name='skill_input_feedback_once'), models.CheckConstraint(condition=models.Q(models.Q(('feedback__isnull', True), ('trace__isnull', False)), models.Q(('feedback__isnull', False), ('trace__isnull', True)), _connector='OR'), name='skill_input_one_thing')],
            },
        ),
        migrations.CreateModel(
            name='Erasure',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='erasures', to='memory.workspace')),
                ('entity', models.ForeignKey(blank=True, db_constraint=False, help_text='Empty once the whole entity is gone.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='erasures', to='memory.entity')),
                ('entity_mark', models.CharField(help_text="Keyed hash of the entity's name, which may be a person's.", max_length=64)),
                ('scope', models.CharField(choices=[('entity', 'Entity'), ('session', 'Session'), ('messages', 'Messages'), ('period', 'Period'), ('retention', 'retention: older than the workspace keeps')], max_length=12)),
                ('status', models.CharField(choices=[('planned', 'Planned'), ('done', 'Done'), ('expired', 'expired: nobody confirmed it')], default='planned', max_length=8)),
                ('selection', models.JSONField(default=dict, help_text='Ids and instants of what was chosen; empty when done.')),
                ('ground', models.CharField(blank=True, default='', help_text='Digest of what the preview counted.', max_length=64)),
                ('counts', models.JSONField(default=dict, help_text='Rows by layer: as planned, then as done.')),
                ('reason', models.CharField(blank=True, default='', max_length=500)),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='erasures', to=settings.AUTH_USER_MODEL)),
                ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='erasures', to='memory.key')),
                ('by', models.CharField(blank=True, default='', help_text='Who it was where no account says so: a terminal.', max_length=128)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('expires_at', models.DateTimeField()),
                ('done_at', models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                'ordering': ['-created_at'],
                'indexes': [models.Index(models.F('workspace'), models.OrderBy(models.F('created_at'), descending=True), name='erasure_of_workspace')],
                'constraints': [models.CheckConstraint(condition=models.Q(('scope__in', ['entity', 'session', 'messages', 'period', 'retention'])), name='erasure_scope_known'), models.CheckConstraint(condition=models.Q(models.Q(('done_at__isnull', True), ('status__in', ['planned', 'expired'])), models.Q(('done_at__isnull', False), ('selection', {}), ('status', 'done')), _connector='OR'), name='erasure_done_has_time')],
            },
        ),
        migrations.CreateModel(
            name='Tombstone',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
                ('erasure', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tombstones', to='memory.erasure')),
                ('digest', models.BinaryField(max_length=32)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workspace', 'digest'), name='tombstone_once'), models.CheckConstraint(condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length('digest'), 32), name='tombstone_digest_is_whole')],
            },
        ),
        migrations.RemoveConstraint(
            model_name='evidence',
            name='evidence_one_target',
        ),
        migrations.RemoveConstraint(
            model_name='evidence',
            name='evidence_one_derived_row',
        ),
        migrations.RemoveConstraint(
            model_name='evidence',
            name='evidence_looks_one_layer_down',
        ),
        migrations.RemoveConstraint(
            model_name='run',
            name='run_step_known',
        ),
        migrations.RemoveConstraint(
            model_name='traitversion',
            name='trait_version_text_not_empty',
        ),
        migrations.RemoveConstraint(
            model_name='work',
            name='work_step_known',
        ),
        migrations.AddField(
            model_name='correction',
            name='by',
            field=models.CharField(blank=True, default='', help_text='Who it was where no account says so: a terminal.', max_length=128),
        ),
        migrations.AddField(
            model_name='correction',
            name='erased_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='correction',
            name='key',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='corrections', to='memory.key'),
        ),
        migrations.AddField(
            model_name='sceneversion',
            name='erased_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When some of its text was erased.', null=True),
        ),
        migrations.AddField(
            model_name='traitversion',
            name='erased_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='workspace',
            name='event_days',
            field=models.PositiveIntegerField(default=7, help_text='Days that events for streams are kept.'),
        ),
        migrations.AddField(
            model_name='workspace',
            name='message_days',
            field=models.PositiveIntegerField(blank=True, help_text='Days that messages are kept, and what rests on them alone; empty keeps them for good.', null=True),
        ),
        migrations.AddField(
            model_name='workspace',
            name='run_days',
            field=models.PositiveIntegerField(blank=True, help_text='Days that runs are kept; empty takes the setting.', null=True),
        ),
        migrations.AddField(
            model_name='workspace',
            name='use_days',
            field=models.PositiveIntegerField(default=90, help_text='Days that uses are kept.'),
        ),
        migrations.AlterField(
            model_name='correction',
            name='kind',
            field=models.CharField(choices=[('scene_edited', 'Scene Edited'), ('lines_pinned', 'Lines Pinned'), ('lines_unpinned', 'Lines Unpinned'), ('scenes_merged', 'Scenes Merged'), ('scene_retired', 'Scene Retired'), ('scene_restored', 'Scene Restored'), ('atom_superseded', 'Atom Superseded'), ('atom_retracted', 'Atom Retracted'), ('atom_restored', 'Atom Restored'), ('trait_set', 'Trait Set'), ('trait_retracted', 'Trait Retracted'), ('trait_restored', 'Trait Restored'), ('procedure_edited', 'Procedure Edited')], max_length=32),
        ),
        migrations.AlterField(
            model_name='run',
            name='step',
            field=models.CharField(choices=[('l1_extract', 'L1 Extract'), ('scene_synthesis', 'Scene Synthesis'), ('persona', 'Persona'), ('compaction', 'Compaction'), ('promotion', 'Promotion'), ('skill_extract', 'Skill Extract'), ('answer', 'answer')], max_length=32),
        ),
        migrations.AlterField(
            model_name='traitversion',
            name='text',
            field=models.CharField(blank=True, max_length=600),
        ),
        migrations.AlterField(
            model_name='work',
            name='step',
            field=models.CharField(choices=[('l1_extract', 'L1 Extract'), ('scene_synthesis', 'Scene Synthesis'), ('persona', 'Persona'), ('compaction', 'Compaction'), ('promotion', 'Promotion'), ('skill_extract', 'Skill Extract')], max_length=32),
        ),
        migrations.AddIndex(
            model_name='correction',
            index=models.Index(models.F('entity'), models.OrderBy(models.F('created_at'), descending=True), name='correction_newest'),
        ),
        migrations.AddConstraint(
            model_name='correction',
            constraint=models.CheckConstraint(condition=models.Q(('erased_at__isnull', True), models.Q(('after', {}), ('before', {}), ('reason', '')), _connector='OR'), name='correction_erased_is_empty'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.CheckConstraint(condition=models.Q(('step__in', ['l1_extract', 'scene_synthesis', 'persona', 'compaction', 'promotion', 'skill_extract', 'answer'])), name='run_step_known'),
        ),
        migrations.AddConstraint(
            model_name='traitversion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('erased_at__isnull', True), models.Q(('text', ''), _negated=True)), models.Q(('erased_at__isnull', False), ('text', '')), _connector='OR'), name='trait_version_text_until_erased'),
        ),
        migrations.AddConstraint(
            model_name='work',
            constraint=models.CheckConstraint(condition=models.Q(('step__in', ['l1_extract', 'scene_synthesis', 'persona', 'compaction', 'promotion', 'skill_extract'])), name='work_step_known'),
        ),
        migrations.AddConstraint(
            model_name='workspace',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('message_days__isnull', True), ('message_days__gte', 1), _connector='OR'), models.Q(('run_days__isnull', True), ('run_days__gte', 1), _connector='OR'), ('event_days__gte', 1), ('use_days__gte', 1)), name='workspace_keeps_a_day'),
        ),
        migrations.AddField(
            model_name='evidence',
            name='feedback',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='cited_by', to='memory.feedback'),
        ),
        migrations.AddField(
            model_name='evidence',
            name='of_procedure_line',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='memory.procedureline'),
        ),
        migrations.AddField(
            model_name='evidence',
            name='trace_step',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='cited_by', to='memory.tracestep'),
        ),
        migrations.AddIndex(
            model_name='evidence',
            index=models.Index(condition=models.Q(('of_procedure_line__isnull', False)), fields=['of_procedure_line'], name='evidence_by_of_procedure_line'),
        ),
        migrations.AddIndex(
            model_name='evidence',
            index=models.Index(condition=models.Q(('trace_step__isnull', False)), fields=['trace_step'], name='evidence_by_trace_step'),
        ),
        migrations.AddIndex(
            model_name='evidence',
            index=models.Index(condition=models.Q(('feedback__isnull', False)), fields=['feedback'], name='evidence_by_feedback'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('of_atom__isnull', False), ('of_digest__isnull', True), ('of_line__isnull', True), ('of_procedure_line__isnull', True), ('of_trait_version__isnull', True)), models.Q(('of_atom__isnull', True), ('of_digest__isnull', True), ('of_line__isnull', False), ('of_procedure_line__isnull', True), ('of_trait_version__isnull', True)), models.Q(('of_atom__isnull', True), ('of_digest__isnull', True), ('of_line__isnull', True), ('of_procedure_line__isnull', True), ('of_trait_version__isnull', False)), models.Q(('of_atom__isnull', True), ('of_digest__isnull', False), ('of_line__isnull', True), ('of_procedure_line__isnull', True), ('of_trait_version__isnull', True)), models.Q(('of_atom__isnull', True), ('of_digest__isnull', True), ('of_line__isnull', True), ('of_procedure_line__isnull', False), ('of_trait_version__isnull', True)), _connector='OR'), name='evidence_one_derived_row'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('atom__isnull', True), ('correction__isnull', True), ('feedback__isnull', True), ('line__isnull', True), ('message__isnull', False), ('outside_kind__isnull', True), ('trace_step__isnull', True)), models.Q(('atom__isnull', False), ('correction__isnull', True), ('feedback__isnull', True), ('line__isnull', True), ('message__isnull', True), ('outside_kind__isnull', True), ('trace_step__isnull', True)), models.Q(('atom__isnull', True), ('correction__isnull', True), ('feedback__isnull', True), ('line__isnull', False), ('message__isnull', True), ('outside_kind__isnull', True), ('trace_step__isnull', True)), models.Q(('atom__isnull', True), ('correction__isnull', False), ('feedback__isnull', True), ('line__isnull', True), ('message__isnull', True), ('outside_kind__isnull', True), ('trace_step__isnull', True)), models.Q(('atom__isnull', True), ('correction__isnull', True), ('feedback__isnull', True), ('line__isnull', True), ('message__isnull', True), ('outside_kind__isnull', True), ('trace_step__isnull', False)), models.Q(('atom__isnull', True), ('correction__isnull', True), ('feedback__isnull', False), ('line__isnull', True), ('message__isnull', True), ('outside_kind__isnull', True), ('trace_step__isnull', True)), models.Q(('atom__isnull', True), ('correction__isnull', True), ('feedback__isnull', True), ('line__isnull', True), ('message__isnull', True), ('outside_kind__isnull', False), ('trace_step__isnull', True)), _connector='OR'), name='evidence_one_target'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('of_atom__isnull', False), models.Q(('message__isnull', False), ('correction__isnull', False), ('outside_kind__isnull', False), _connector='OR')), models.Q(('of_line__isnull', False), models.Q(('atom__isnull', False), ('correction__isnull', False), _connector='OR')), models.Q(('of_trait_version__isnull', False), models.Q(('line__isnull', False), ('correction__isnull', False), _connector='OR')), models.Q(('of_digest__isnull', False), ('message__isnull', False)), models.Q(('of_procedure_line__isnull', False), models.Q(('trace_step__isnull', False), ('feedback__isnull', False), ('correction__isnull', False), _connector='OR')), _connector='OR'), name='evidence_looks_one_layer_down'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.UniqueConstraint(condition=models.Q(('trace_step__isnull', False)), fields=('of_procedure_line', 'trace_step'), name='evidence_procedure_step_once'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.UniqueConstraint(condition=models.Q(('feedback__isnull', False)), fields=('of_procedure_line', 'feedback'), name='evidence_procedure_feedback_once'),
        ),
    ]
