DO $$
DECLARE
    held record;
BEGIN
    FOR held IN
        SELECT wordy.relation, wanted.name
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
    LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS -1', held.relation, held.name);
    END LOOP;
END $$;
