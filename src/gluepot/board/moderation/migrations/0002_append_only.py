"""The database itself refuses to change or remove a line of the trail."""

from django.db import migrations

MAKE = """
CREATE FUNCTION moderation_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit trail is only ever added to';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON moderation_auditevent FOR EACH ROW EXECUTE FUNCTION moderation_append_only();
"""
DROP = "DROP TRIGGER append_only ON moderation_auditevent; DROP FUNCTION moderation_append_only();"


class Migration(migrations.Migration):
    dependencies = [("moderation", "0001_first_tables")]
    operations = [migrations.RunSQL(MAKE, DROP)]
