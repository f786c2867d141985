-- One row a document: where it stands, what is known and not, and the next safe action.
-- For people and dashboards; the program does not read it. Times are ISO 8601 in UTC.
-- Stored is what a transaction wrote; what time alone changes is worked out here: a lease that
-- ended, a time that came, an account that opened, a worker that was seen. The words are those of
-- reconciler/next_step.py, and a test holds the two to each other.
CREATE VIEW document_status AS
WITH moment (now) AS (
    SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)
),
said (rule, action, why) AS (
    VALUES
        ('crashed', 'recover', 'its worker is gone: the lease ended and no result was saved'),
        ('access', 'rotate_token', 'the account {account} refused our token; nothing is sent until it is renewed, or let in again, which is tried at growing intervals'),
        ('throttled', 'wait', 'the account {account} is throttled; calling on would lengthen the block'),
        ('settling', 'wait', 'what became of it is being found out'),
        ('too_soon', 'wait', 'a call went unanswered; it is looked for again then'),
        ('look', 'recover', 'a call went unanswered; it is time to look what it made'),
        ('worker', 'wait', 'a worker will take it'),
        ('put_off', 'publish', 'it is put off after trouble; no worker was seen lately'),
        ('ready', 'publish', 'queued, and no worker was seen lately')
),
seen AS (
    SELECT
        document.*,
        moment.now,
        account.reason AS account_reason,
        account.until AS account_until,
        document.state = 'publishing'
            AND document.lease_until IS NOT NULL
            AND document.lease_until <= moment.now AS is_crashed,
        document.due_at IS NOT NULL AND document.due_at <= moment.now AS is_due,
        coalesce(document.lease_until > moment.now, FALSE) AS is_leased,
        document.origin = 'ours'
            AND EXISTS (SELECT 1 FROM worker WHERE worker.seen_at > moment.now - 120000000)
            AS has_worker,
        EXISTS (
            SELECT 1
            FROM item
            WHERE item.document_id = document.id
                AND item.state IN ('pending', 'absent', 'held')
                AND (
                    item.state = 'pending'
                    OR EXISTS (
                        SELECT 1
                        FROM call
                        WHERE call.document_id = item.document_id
                            AND call."key" = item."key"
                            AND call.external_id IS NOT NULL
                    )
                )
        ) AS has_unknown
    FROM document
    CROSS JOIN moment
    LEFT JOIN account ON account.id = document.account_id
),
ruled AS (
    SELECT
        seen.*,
        CASE
            WHEN seen.is_crashed THEN 'crashed'
            WHEN seen.state <> 'queued' THEN 'stored'
            WHEN seen.account_reason = 'access' THEN 'access'
            WHEN seen.account_reason = 'throttled' AND seen.account_until > seen.now
                THEN 'throttled'
            WHEN seen.is_leased THEN 'settling'
            WHEN seen.has_unknown AND seen.due_at > seen.now THEN 'too_soon'
            WHEN seen.has_unknown THEN 'look'
            WHEN seen.has_worker THEN 'worker'
            WHEN seen.due_at > seen.now THEN 'put_off'
            ELSE 'ready'
        END AS rule
    FROM seen
),
told AS (
    SELECT
        ruled.*,
        CASE
            WHEN ruled.rule IN ('crashed', 'look') AND ruled.has_worker THEN 'wait'
            ELSE coalesce(said.action, ruled.next_action)
        END AS action,
        CASE
            WHEN ruled.rule = 'throttled' THEN ruled.account_until
            WHEN ruled.rule = 'settling' THEN ruled.lease_until
            WHEN ruled.rule IN ('too_soon', 'worker', 'put_off') AND ruled.due_at > ruled.now
                THEN ruled.due_at
            WHEN ruled.rule = 'stored' THEN ruled.next_until
        END AS until,
        CASE
            -- Why it waits until then was said when the time was set.
            WHEN ruled.rule = 'too_soon'
                AND ruled.next_action = 'wait'
                AND ruled.next_until = ruled.due_at
                THEN ruled.next_why
            ELSE coalesce(replace(said.why, '{account}', ruled.account_id), ruled.next_why)
        END AS why
    FROM ruled
    LEFT JOIN said ON said.rule = ruled.rule
)
SELECT
    told.id AS document_id,
    told."key",
    told.account_id,
    told.origin,
    told.title,
    told.revision,
    told.state,
    told.is_crashed AS crashed,
    -- What was not recorded of a document that finished elsewhere, nobody looks for.
    told.has_unknown
        AND (told.origin = 'ours' OR told.state IN ('publishing', 'queued', 'held'))
        AND NOT (told.is_leased AND told.lease_purpose = 'publish') AS unsettled,
    told.is_due AS due,
    told.cancel_requested,
    told.owes_look_from IS NOT NULL AS owes_look,
    (SELECT count(*) FROM surplus WHERE surplus.document_id = told.id) AS surplus_count,
    to_char(to_timestamp(told.since / 1000000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since,
    to_char(to_timestamp(told.due_at / 1000000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS due_at,
    told.action AS next_action,
    to_char(to_timestamp(told.until / 1000000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS next_until,
    CASE
        WHEN told.cancel_requested
            AND told.state IN ('queued', 'publishing')
            AND told.why NOT LIKE '%; then it is cancelled'
            THEN told.why || '; then it is cancelled'
        ELSE told.why
    END AS next_why
FROM told
