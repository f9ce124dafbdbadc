"""Queries of raters' pages, each a single statement: no lock outlives it, and a killed process leaves nothing half done.

An item's tally counts its votes and live leases. The statement that leases an item also increments its tally, and only while it is
below the requested number of votes: PostgreSQL re-checks the newest row after waiting for it, so that no two raters get the last vote.
"""

from collections.abc import Mapping
from typing import Any

VISIT = """
SELECT r.id, r.name, r.token, r.consented IS NOT NULL, a.id, a.opened, held.item_id, held.question, held.since,
       (SELECT count(*) FROM rounds_castvote v WHERE v.rater_id = r.id AND v.current),
       EXISTS (SELECT 1 FROM rounds_itemlease l WHERE l.live AND l.expires <= now())
FROM rounds_roundrater r
JOIN rounds_annotationround a ON a.id = r.round_id
LEFT JOIN LATERAL (SELECT l.item_id, l.question, l.since FROM rounds_itemlease l
                   WHERE l.rater_id = r.id AND l.live AND l.expires > now() ORDER BY l.since DESC LIMIT 1) held ON true
WHERE r.token = %(token)s AND NOT r.revoked AND NOT a.closed
"""
"""The rater of a link, their current item, their progress, and whether leases have expired."""
SWEEP = """
WITH ended AS (UPDATE rounds_itemlease SET live = false WHERE live AND expires <= now() RETURNING item_id, question),
     counted AS (SELECT item_id, question, count(*) AS n FROM ended GROUP BY item_id, question)
UPDATE rounds_itemtally t SET taken = t.taken - c.n FROM counted c WHERE t.item_id = c.item_id AND t.question = c.question
"""
"""Stop counting expired leases in tallies. Their rows remain, so that a late answer finds its lease."""
_TAKE = """
WITH hurry AS (SELECT set_config('synchronous_commit', 'off', true)),
chosen AS (SELECT t.id, t.item_id FROM rounds_itemtally t
  WHERE t.round_id = %(round)s AND t.question = %(question)s AND t.taken < %(votes)s
    AND NOT EXISTS (SELECT 1 FROM rounds_castvote v
                    WHERE v.item_id = t.item_id AND v.rater_id = %(rater)s AND v.question = t.question AND v.current)
  ORDER BY t.pilot DESC, t.taken, hashint8extended(t.item_id, %(rater)s) LIMIT 1 FOR UPDATE OF t {wait}),
leased AS (INSERT INTO rounds_itemlease AS l (item_id, rater_id, question, since, expires, live)
  SELECT c.item_id, %(rater)s, %(question)s, now(), now() + %(minutes)s * interval '1 minute', true FROM chosen c, hurry
  ON CONFLICT (item_id, rater_id, question) DO UPDATE SET since = EXCLUDED.since, expires = EXCLUDED.expires, live = true
  WHERE NOT l.live RETURNING item_id)
UPDATE rounds_itemtally t SET taken = t.taken + 1 FROM leased
WHERE t.item_id = leased.item_id AND t.question = %(question)s RETURNING t.item_id
"""
TAKE = _TAKE.format(wait="SKIP LOCKED")
"""Lease the item with the fewest votes and leases, in an order of the rater. The commit does not wait for the disk: a lease is no vote."""
TAKE_WAITING = _TAKE.format(wait="")
"""The same, waiting for locked rows: for when every remaining item is being leased by another rater."""
OWN = """
SELECT i.id, i.kind, i.item FROM rounds_rounditem i
WHERE i.round_id = %(round)s AND i.kind IN ('training', 'control', 'repeat')
  AND NOT EXISTS (SELECT 1 FROM rounds_castvote v
                  WHERE v.item_id = i.id AND v.rater_id = %(rater)s AND v.question = %(question)s AND v.current)
ORDER BY i.place
"""
"""Items that every rater gets and this one has not answered."""
ANSWERED = """
SELECT i.item FROM rounds_castvote v JOIN rounds_rounditem i ON i.id = v.item_id
WHERE v.rater_id = %(rater)s AND v.current AND v.question = %(question)s AND i.kind <> 'training' ORDER BY v.at DESC, v.id DESC
"""
"""Items that a rater has answered, latest first, without training."""
LEASE_OWN = """
INSERT INTO rounds_itemlease (item_id, rater_id, question, since, expires, live)
VALUES (%(item)s, %(rater)s, %(question)s, now(), now() + %(minutes)s * interval '1 minute', true)
ON CONFLICT (item_id, rater_id, question) DO UPDATE SET since = EXCLUDED.since, expires = EXCLUDED.expires, live = true RETURNING item_id
"""
CAST = """
WITH held AS (DELETE FROM rounds_itemlease
              WHERE item_id = %(item)s AND rater_id = %(rater)s AND question = %(question)s RETURNING since, live),
late AS (UPDATE rounds_itemtally t SET taken = t.taken + %(counts)s - held.live::int FROM held
         WHERE t.item_id = %(item)s AND t.question = %(question)s AND %(counts)s <> held.live::int)
INSERT INTO rounds_castvote (item_id, rater_id, question, value, skipped, comment, seconds, at, current, adjudicated)
SELECT %(item)s, %(rater)s, %(question)s, %(value)s::jsonb, %(skipped)s, %(comment)s,
       extract(epoch FROM now() - held.since), now(), true, false
FROM held RETURNING id
"""
"""Insert a vote in place of its lease, expired or not; none where there is no lease."""


def run(statement: str, words: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement, which is prepared on its connection after some executions."""
    from django.db import connection
    from psycopg import Cursor

    connection.close_if_health_check_failed()
    connection.ensure_connection()
    raw = connection.connection
    raw.prepare_threshold = 5
    with Cursor(raw) as cursor:
        cursor.execute(statement, words)
        return cursor.fetchall() if cursor.description else []
