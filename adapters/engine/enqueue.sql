-- What the ledger tells the engine: a document that becomes due is enqueued in the transaction that
-- made it so. Run again at every migration; holds nothing that would be missed.

CREATE OR REPLACE FUNCTION engine_look_at(_document_id text, _account_id text) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
-- Enqueue a document in a lane of its account, unless something waits there already.
--
-- An account has as many lanes as documents of it may be published at once. A lane is the lock of
-- its jobs, so one of them runs at a time, and their queueing lock, so one of them waits: however
-- many documents an account has, a few jobs stand for them, and all accounts stand in one line.
--
-- Waits for nobody who is enqueueing in the same lane, and for whoever locks the engine's tables
-- once in a transaction, for as long as `lock_timeout` above says.
DECLARE
    _lane text;
BEGIN
    IF current_setting('reconciler.engine_is_locked', true) = 'yes' THEN
        RETURN;
    END IF;
    SELECT _account_id || '/' || (hashtext(_document_id) & 2147483647) % lanes INTO STRICT _lane
    FROM engine_schema;
    IF EXISTS (SELECT FROM procrastinate_jobs WHERE queueing_lock = _lane AND status = 'todo') THEN
        RETURN;
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended('engine lane ' || _lane, 0)) THEN
        RETURN;
    END IF;
    PERFORM procrastinate_defer_jobs_v1(ARRAY[ROW(
        'documents', 'advance', 0, _lane, _lane,
        jsonb_build_object('document_id', _document_id), NULL
    )::procrastinate_job_to_defer_v1]);
EXCEPTION
WHEN lock_not_available THEN
    -- The many documents of one transaction do not wait one after the other.
    PERFORM set_config('reconciler.engine_is_locked', 'yes', true);
WHEN OTHERS THEN
    -- Somebody was quicker, or the engine's tables are not as they should be. The document's row is
    -- the queue: what is not said here is said by the next look through it.
    NULL;
END;
$$;

CREATE OR REPLACE FUNCTION engine_enqueue() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
-- The names below mean the ledger's own schema, whatever the search path of the transaction that
-- writes: an application that hands a document in inside its own may have another engine there.
BEGIN
    IF NEW.due_at <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint THEN
        PERFORM engine_look_at(NEW.id, NEW.account_id);
    END IF;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    -- The function above may be missing too, or forbidden to this user.
    RETURN NULL;
END;
$$;

DROP TRIGGER IF EXISTS engine_enqueue ON document;
CREATE TRIGGER engine_enqueue AFTER INSERT OR UPDATE OF state, due_at, lease_owner ON document
FOR EACH ROW
WHEN (NEW.state = 'queued' AND NEW.origin = 'ours' AND NEW.lease_owner IS NULL)
EXECUTE FUNCTION engine_enqueue();
