import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
import memory.models.base
import memory.models.claims
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0006_changed_atoms'),
    ]

    operations = [
        migrations.CreateModel(
            name='Digest',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('kind', models.CharField(choices=[('summary', 'summary: the folded turns of an open session'), ('brief', 'brief: a whole session that has ended')], max_length=8)),
                ('number', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('until_ordinal', models.PositiveIntegerField()),
                ('is_head', models.BooleanField(default=True)),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('run', models.ForeignKey(blank=True, db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='digests', to='memory.run')),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='digests', to='memory.session')),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
            ],
            options={
                'ordering': ['session', 'kind', 'number'],
                'indexes': [models.Index(models.F('entity'), models.OrderBy(models.F('created_at'), descending=True), condition=models.Q(('is_head', True), ('kind', 'brief')), name='digest_briefs')],
                'constraints': [models.UniqueConstraint(fields=('session', 'kind', 'number'), name='digest_number_once'), models.UniqueConstraint(condition=models.Q(('is_head', True)), fields=('session', 'kind'), name='digest_one_head'), models.UniqueConstraint(fields=('workspace', 'entity', 'id'), name='digest_of_entity'), models.CheckConstraint(condition=models.Q(('kind__in', ['summary', 'brief'])), name='digest_kind_known'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='digest_number_from_one'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='digest_text_not_empty'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'brief'), django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('text'), 600)), models.Q(('kind', 'summary'), django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('text'), 4000)), _connector='OR'), name='digest_text_limit')],
            },
        ),
        migrations.CreateModel(
            name='GraphNode',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('kind', models.CharField(max_length=64)),
                ('identifier', models.CharField(max_length=256)),
                ('terms', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, editable=False, help_text='Entity-salted hashes of the words that name it, for queries.', size=None)),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
            ],
            options={
                'ordering': ['kind', 'identifier'],
                'constraints': [models.UniqueConstraint(fields=('entity', 'kind', 'identifier'), name='graph_node_once'), models.UniqueConstraint(fields=('workspace', 'entity', 'id'), name='graph_node_of_entity'), models.CheckConstraint(condition=models.Q(models.Q(('kind', ''), _negated=True), models.Q(('identifier', ''), _negated=True)), name='graph_node_is_named')],
                'indexes': [django.contrib.postgres.indexes.GinIndex(fields=['terms'], name='graph_node_terms')],
            },
        ),
        migrations.CreateModel(
            name='GraphEdge',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('predicate', models.CharField(max_length=128)),
                ('value', models.JSONField(blank=True, null=True)),
                ('valid_from', models.DateTimeField(blank=True, null=True)),
                ('valid_until', models.DateTimeField(blank=True, null=True)),
                ('atom', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='edge', to='memory.atom')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
                ('object', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='edges_in', to='memory.graphnode')),
                ('subject', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='edges_out', to='memory.graphnode')),
            ],
            options={
                'ordering': ['predicate', 'id'],
                'indexes': [models.Index(models.F('subject'), models.OrderBy(models.F('valid_from'), descending=True), models.F('id'), name='graph_edge_out'), models.Index(models.F('object'), models.OrderBy(models.F('valid_from'), descending=True), models.F('id'), condition=models.Q(('object__isnull', False)), name='graph_edge_in'), models.Index(models.F('entity'), models.F('predicate'), models.OrderBy(models.F('valid_from'), descending=True), models.F('id'), name='graph_edge_predicate')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('object__isnull', False), ('value__isnull', True)), models.Q(('object__isnull', True), ('value__isnull', False)), _connector='OR'), name='graph_edge_object_or_value'), models.CheckConstraint(condition=models.Q(('predicate', ''), _negated=True), name='graph_edge_has_predicate')],
            },
        ),
        migrations.CreateModel(
            name='LiveSource',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=64)),
                ('kind', models.CharField(choices=[('callable', 'callable: registered in the settings'), ('http', 'http: an address on an allowed host')], max_length=8)),
                ('address', models.CharField(help_text='Name of the callable, or an https address in which {kind}, {identifier} and {predicate} stand for those of the claim.', max_length=1000)),
                ('credential', models.CharField(blank=True, default='', help_text='Name of a credential in the settings, sent as a bearer token; never the secret itself.', max_length=64)),
                ('timeout_milliseconds', models.PositiveIntegerField(default=500)),
                ('most_bytes', models.PositiveIntegerField(default=65536)),
                ('cache_seconds', models.PositiveIntegerField(default=60)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='live_sources', to='memory.workspace')),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('workspace', 'name'), name='live_source_name_once'), models.UniqueConstraint(fields=('workspace', 'id'), name='live_source_in_workspace'), models.CheckConstraint(condition=models.Q(('kind__in', ['callable', 'http'])), name='live_source_kind_known'), models.CheckConstraint(condition=models.Q(models.Q(('name', ''), _negated=True), models.Q(('address', ''), _negated=True)), name='live_source_is_whole'), models.CheckConstraint(condition=models.Q(('timeout_milliseconds__range', (1, 10000))), name='live_source_time_limit'), models.CheckConstraint(condition=models.Q(('most_bytes__range', (1, 1048576))), name='live_source_size_limit')],
            },
        ),
        migrations.CreateModel(
            name='LiveValue',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('value', models.JSONField(null=True)),
                ('error', models.CharField(blank=True, default='', max_length=300)),
                ('fetched_at', models.DateTimeField()),
                ('known_at', models.DateTimeField(blank=True, help_text='When it last gave a value, whatever came of it since.', null=True)),
                ('expires_at', models.DateTimeField()),
                ('atom', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='live_value', to='memory.atom')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('error', ''), ('value__isnull', False)), models.Q(('value__isnull', True), models.Q(('error', ''), _negated=True)), _connector='OR'), name='live_value_or_error'), models.CheckConstraint(condition=models.Q(('expires_at__gte', models.F('fetched_at'))), name='live_value_expires_later')],
            },
        ),
        migrations.CreateModel(
            name='Policy',
            fields=[
                ('id', models.UUIDField(default=memory.models.base.new_id, editable=False, primary_key=True, serialize=False)),
                ('pattern', models.CharField(help_text='A predicate, or a pattern such as billing.* ; the most specific one counts.', max_length=128)),
                ('action', models.CharField(choices=[('store', 'store: keep it'), ('graph', 'graph: keep it and project it into the graph'), ('live', 'live: keep a reference, fetch the value when it is needed'), ('ignore', 'ignore: keep nothing')], default='graph', max_length=8)),
                ('cardinality', models.CharField(choices=[('one', 'one value holds'), ('many', 'many values hold side by side')], default='one', max_length=8)),
                ('asserted_by', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(choices=[(1, 'agent inference'), (2, 'user'), (3, 'tool'), (4, 'application')]), default=memory.models.claims.every_authority, help_text='The authorities that may assert it.', size=None)),
                ('source', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='policies', to='memory.livesource')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='policies', to='memory.workspace')),
            ],
            options={
                'verbose_name_plural': 'policies',
                'ordering': ['pattern'],
                'constraints': [models.UniqueConstraint(fields=('workspace', 'pattern'), name='policy_pattern_once'), models.CheckConstraint(condition=models.Q(('pattern', ''), _negated=True), name='policy_pattern_not_empty'), models.CheckConstraint(condition=models.Q(('action__in', ['store', 'graph', 'live', 'ignore'])), name='policy_action_known'), models.CheckConstraint(condition=models.Q(('cardinality__in', ['one', 'many'])), name='policy_cardinality_known'), models.CheckConstraint(condition=models.Q(models.Q(('action', 'live'), ('source__isnull', False)), models.Q(models.Q(('action', 'live'), _negated=True), ('source__isnull', True)), _connector='OR'), name='policy_live_has_source'), models.CheckConstraint(condition=models.Q(('asserted_by__contained_by', [1, 2, 3, 4]), models.Q(('asserted_by', []), _negated=True)), name='policy_authorities_known')],
            },
        ),
        migrations.CreateModel(
            name='Unpromoted',
            fields=[
                ('parked_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('queued_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('atom', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.atom')),
                ('consumed_by', models.ForeignKey(blank=True, db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.run')),
                ('entity', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.entity')),
                ('parked_by', models.ForeignKey(blank=True, db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.run')),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.workspace')),
            ],
            options={
                'verbose_name_plural': 'unpromoted',
                'indexes': [models.Index(fields=['entity', 'id'], name='unpromoted_entity'), models.Index(fields=['atom'], name='unpromoted_atom')],
            },
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
            model_name='work',
            name='work_step_known',
        ),
        migrations.AddField(
            model_name='atom',
            name='live_source',
            field=models.CharField(blank=True, default='', help_text='A claim whose value is not kept but fetched from this source when it is needed.', max_length=64),
        ),
        migrations.AddField(
            model_name='atom',
            name='predicate',
            field=models.CharField(blank=True, default='', help_text='Set on claims, empty on any other atom.', max_length=128),
        ),
        migrations.AddField(
            model_name='atom',
            name='subject_id',
            field=models.CharField(blank=True, default='', max_length=256),
        ),
        migrations.AddField(
            model_name='atom',
            name='subject_kind',
            field=models.CharField(blank=True, default='', help_text='Of a claim: what its subject is.', max_length=64),
        ),
        migrations.AddField(
            model_name='atom',
            name='valid_from',
            field=models.DateTimeField(blank=True, help_text='Before that it does not hold.', null=True),
        ),
        migrations.AddField(
            model_name='atom',
            name='valid_until',
            field=models.DateTimeField(blank=True, help_text='From then on it holds no more.', null=True),
        ),
        migrations.AddField(
            model_name='atom',
            name='value',
            field=models.JSONField(blank=True, help_text='What a claim says; compared by meaning.', null=True),
        ),
        migrations.AddField(
            model_name='session',
            name='consumed_by',
            field=models.ForeignKey(blank=True, db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.run'),
        ),
        migrations.AddField(
            model_name='session',
            name='fold_asked_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='session',
            name='folded_until',
            field=models.PositiveIntegerField(default=0, editable=False, help_text='The first ordinal that the summary does not cover.'),
        ),
        migrations.AddField(
            model_name='session',
            name='last_message_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When the last message was recorded.', null=True),
        ),
        migrations.AddField(
            model_name='session',
            name='parked_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='session',
            name='parked_by',
            field=models.ForeignKey(blank=True, db_constraint=False, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.run'),
        ),
        migrations.AddField(
            model_name='session',
            name='takes_turns',
            field=models.BooleanField(default=False, editable=False, help_text="Opened by an agent's turn loop: old turns are folded, its end writes a brief."),
        ),
        migrations.AlterField(
            model_name='run',
            name='step',
            field=models.CharField(choices=[('l1_extract', 'L1 Extract'), ('scene_synthesis', 'Scene Synthesis'), ('persona', 'Persona'), ('compaction', 'Compaction'), ('promotion', 'Promotion')], max_length=32),
        ),
        migrations.AlterField(
            model_name='work',
            name='step',
            field=models.CharField(choices=[('l1_extract', 'L1 Extract'), ('scene_synthesis', 'Scene Synthesis'), ('persona', 'Persona'), ('compaction', 'Compaction'), ('promotion', 'Promotion')], max_length=32),
        ),
        migrations.AddIndex(
            model_name='atom',
            index=models.Index(models.F('entity'), models.F('topic'), models.OrderBy(models.F('seq'), descending=True), condition=models.Q(('status', 'live')), name='atom_topic'),
        ),
        migrations.AddIndex(
            model_name='atom',
            index=models.Index(models.F('entity'), models.F('happened_from'), models.OrderBy(models.F('seq'), descending=True), condition=models.Q(('happened_from__isnull', False), ('status', 'live')), name='atom_happened'),
        ),
        migrations.AddIndex(
            model_name='atom',
            index=models.Index(condition=models.Q(('predicate', ''), _negated=True), fields=['entity', 'predicate', 'subject_id', 'subject_kind'], name='atom_claims'),
        ),
        migrations.AddIndex(
            model_name='atom',
            index=models.Index(condition=models.Q(('status__in', ['live', 'contested']), ('valid_until__isnull', False)), fields=['valid_until'], name='atom_ending'),
        ),
        migrations.AddIndex(
            model_name='atom',
            index=models.Index(condition=models.Q(('status', 'contested'), ('valid_from__isnull', False)), fields=['valid_from'], name='atom_beginning'),
        ),
        migrations.AddIndex(
            model_name='session',
            index=models.Index(condition=models.Q(('consumed_by__isnull', True), ('parked_at__isnull', True), ('takes_turns', True), models.Q(('ended_at__isnull', False), ('fold_asked_at__isnull', False), _connector='OR')), fields=['entity'], name='session_pending'),
        ),
        migrations.AddIndex(
            model_name='session',
            index=models.Index(condition=models.Q(('consumed_by__isnull', True), ('parked_at__isnull', False)), fields=['entity'], name='session_parked'),
        ),
        migrations.AddIndex(
            model_name='session',
            index=models.Index(condition=models.Q(('ended_at__isnull', True), ('takes_turns', True)), fields=['last_message_at'], name='session_idle'),
        ),
        migrations.AddConstraint(
            model_name='atom',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('live_source', ''), ('predicate', ''), ('subject_id', ''), ('subject_kind', ''), ('value__isnull', True)), models.Q(models.Q(('predicate', ''), _negated=True), models.Q(('subject_kind', ''), _negated=True), models.Q(('subject_id', ''), _negated=True), models.Q(models.Q(('value__isnull', True), models.Q(('live_source', ''), _negated=True)), models.Q(('live_source', ''), ('value__isnull', False)), _connector='OR')), _connector='OR'), name='atom_claim_is_whole'),
        ),
        migrations.AddConstraint(
            model_name='atom',
            constraint=models.CheckConstraint(condition=models.Q(('valid_from__isnull', True), ('valid_until__isnull', True), ('valid_until__gt', models.F('valid_from')), _connector='OR'), name='atom_validity_forward'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.CheckConstraint(condition=models.Q(('step__in', ['l1_extract', 'scene_synthesis', 'persona', 'compaction', 'promotion'])), name='run_step_known'),
        ),
        migrations.AddConstraint(
            model_name='session',
            constraint=models.CheckConstraint(condition=models.Q(('folded_until__lte', models.F('next_ordinal'))), name='session_folds_what_was_said'),
        ),
        migrations.AddConstraint(
            model_name='work',
            constraint=models.CheckConstraint(condition=models.Q(('step__in', ['l1_extract', 'scene_synthesis', 'persona', 'compaction', 'promotion'])), name='work_step_known'),
        ),
        migrations.AddField(
            model_name='evidence',
            name='of_digest',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='memory.digest'),
        ),
        migrations.AddIndex(
            model_name='evidence',
            index=models.Index(condition=models.Q(('of_digest__isnull', False)), fields=['of_digest'], name='evidence_by_of_digest'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('of_atom__isnull', False), ('of_digest__isnull', True), ('of_line__isnull', True), ('of_trait_version__isnull', True)), models.Q(('of_atom__isnull', True), ('of_digest__isnull', True), ('of_line__isnull', False), ('of_trait_version__isnull', True)), models.Q(('of_atom__isnull', True), ('of_digest__isnull', True), ('of_line__isnull', True), ('of_trait_version__isnull', False)), models.Q(('of_atom__isnull', True), ('of_digest__isnull', False), ('of_line__isnull', True), ('of_trait_version__isnull', True)), _connector='OR'), name='evidence_one_derived_row'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('atom__isnull', True), ('line__isnull', True), ('of_atom__isnull', False)), models.Q(('line__isnull', True), ('message__isnull', True), ('of_line__isnull', False), ('outside_kind__isnull', True)), models.Q(('atom__isnull', True), ('message__isnull', True), ('of_trait_version__isnull', False), ('outside_kind__isnull', True)), models.Q(('message__isnull', False), ('of_digest__isnull', False)), _connector='OR'), name='evidence_looks_one_layer_down'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.UniqueConstraint(condition=models.Q(('of_digest__isnull', False)), fields=('of_digest', 'message'), name='evidence_digest_message_once'),
        ),
    ]
