-- Takes away all that procrastinate made in this schema, whichever part of it is left. It holds
-- nothing that would be missed: what is due is in the ledger.

DO $$
DECLARE
    _schema oid := (SELECT oid FROM pg_namespace WHERE nspname = current_schema());
    _names text;
BEGIN
    SELECT string_agg(oid::regclass::text, ', ') INTO _names FROM pg_class
    WHERE relnamespace = _schema AND relkind = 'r' AND starts_with(relname, 'procrastinate_');
    IF _names IS NOT NULL THEN
        EXECUTE 'DROP TABLE ' || _names || ' CASCADE';
    END IF;
    SELECT string_agg(oid::regprocedure::text, ', ') INTO _names FROM pg_proc
    WHERE pronamespace = _schema AND starts_with(proname, 'procrastinate_');
    IF _names IS NOT NULL THEN
        EXECUTE 'DROP FUNCTION ' || _names || ' CASCADE';
    END IF;
    SELECT string_agg(oid::regtype::text, ', ') INTO _names FROM pg_type
    WHERE typnamespace = _schema AND typtype IN ('e', 'c')
    AND starts_with(typname, 'procrastinate_');
    IF _names IS NOT NULL THEN
        EXECUTE 'DROP TYPE ' || _names || ' CASCADE';
    END IF;
END;
$$;
