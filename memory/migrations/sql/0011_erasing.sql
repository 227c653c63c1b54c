-- What ANALYZE keeps of a column, its commonest and its typical values, would outlive an erased row: of columns that
-- may hold words (memory/stewardship/words.py names them) it keeps nothing. What it has kept goes by declaring the
-- column anew with the type it has; triggers that look at the column are put aside meanwhile.
DO $$
DECLARE
    held record;
    definitions text[];
    definition text;
BEGIN
    FOR held IN
        SELECT attribute.attrelid::regclass AS relation, attribute.attname AS name,
               format_type(attribute.atttypid, attribute.atttypmod) AS type,
               EXISTS (SELECT 1 FROM pg_stats kept
                       WHERE kept.schemaname = current_schema() AND kept.tablename = wordy.relation
                         AND kept.attname = attribute.attname) AS is_sampled
        FROM (VALUES
        ('memory_session', '{external_id,title}'),
        ('memory_message', '{speaker,text,attachment_text,tool_calls,metadata,tool_name,tool_call_id,dedupe_key}'),
        ('memory_digest', '{text}'),
        ('memory_atom', '{text,topic,subject,scope,subject_id,value,terms,subject_kind,predicate,live_source}'),
        ('memory_livevalue', '{value,error}'),
        ('memory_evidence', '{outside_kind,outside_reference}'),
        ('memory_graphnode', '{identifier,kind}'),
        ('memory_graphedge', '{value,predicate}'),
        ('memory_sceneversion', '{title,summary}'),
        ('memory_line', '{text}'),
        ('memory_traitversion', '{text}'),
        ('memory_correction', '{reason,before,after}'),
        ('memory_tasktrace', '{external_id,task,note}'),
        ('memory_tracestep', '{text,tool_name}'),
        ('memory_procedureversion', '{title,boundary,incidental}'),
        ('memory_procedureline', '{text}'),
        ('memory_review', '{reason}'),
        ('memory_use', '{manifest,request,text}'),
        ('memory_feedback', '{label,comment,expected,actual}'),
        ('memory_run', '{decisions,noop_reason,error_text,raw_answer}'),
        ('memory_work', '{last_error}'),
        ('memory_erasure', '{reason}'),
        ('memory_searchunit', '{speaker}'),
        ('memory_entity', '{name,group_id,user_id}'),
        ('django_admin_log', '{object_repr,change_message}')
        ) AS wordy (relation, names)
        CROSS JOIN LATERAL unnest(wordy.names::name[]) AS wanted (name)
        JOIN pg_attribute attribute
          ON attribute.attrelid = wordy.relation::regclass AND attribute.attname = wanted.name
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', held.relation, held.name);
        CONTINUE WHEN NOT held.is_sampled;
        definitions := ARRAY(
            SELECT pg_get_triggerdef(oid) FROM pg_trigger
            WHERE tgrelid = held.relation AND tgqual IS NOT NULL AND NOT tgisinternal
        );
        FOR definition IN
            SELECT format('DROP TRIGGER %I ON %s', tgname, held.relation) FROM pg_trigger
            WHERE tgrelid = held.relation AND tgqual IS NOT NULL AND NOT tgisinternal
        LOOP
            EXECUTE definition;
        END LOOP;
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE %s', held.relation, held.name, held.type);
        FOREACH definition IN ARRAY definitions LOOP
            EXECUTE definition;
        END LOOP;
    END LOOP;
END $$;
