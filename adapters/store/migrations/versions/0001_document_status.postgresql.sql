-- One row a document: where it stands, what is known and not, and the next safe action.
-- For people and dashboards; the program does not read it. Times are ISO 8601 in UTC.
-- Stored is what a transaction wrote; only what time alone changes is worked out here:
-- crashed (its worker's lease ended and no result was saved), due, and what follows for `next`.
CREATE VIEW document_status AS
WITH moment (now) AS (
    SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
),
seen AS (
    SELECT
        document.*,
        document.state = 'publishing'
            AND document.lease_until IS NOT NULL
            AND document.lease_until <= moment.now AS is_crashed,
        document.due_at IS NOT NULL AND document.due_at <= moment.now AS is_due,
        coalesce(document.lease_purpose = 'publish' AND document.lease_until > moment.now, false)
            AS is_publishing,
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
    FROM document CROSS JOIN moment
)
SELECT
    seen.id AS document_id,
    seen."key",
    seen.account_id,
    seen.origin,
    seen.title,
    seen.revision,
    seen.state,
    seen.is_crashed AS crashed,
    seen.has_unknown AND NOT seen.is_publishing AS unsettled,
    seen.is_due AS due,
    seen.cancel_requested,
    seen.owes_look_from IS NOT NULL AS owes_look,
    (SELECT count(*) FROM surplus WHERE surplus.document_id = seen.id) AS surplus_count,
    to_char(
        to_timestamp(seen.since / 1000000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
    ) AS since,
    to_char(
        to_timestamp(seen.due_at / 1000000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
    ) AS due_at,
    CASE WHEN seen.is_crashed THEN 'recover' ELSE seen.next_action END AS next_action,
    CASE WHEN NOT seen.is_crashed
        THEN to_char(
            to_timestamp(seen.next_until / 1000000.0) AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
        )
    END AS next_until,
    CASE WHEN seen.is_crashed
        THEN 'its worker is gone: the lease ended and no result was saved'
        ELSE seen.next_why
    END AS next_why
FROM seen
