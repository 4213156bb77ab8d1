-- How far the archive reaches; `days` parameters of the questions count back from its newest day, not from today.
-- reads: lake.items, lake.requests, lake.sessions
-- params: none
-- grain: one row
select
    least((select min(day) from lake.items), (select min(day) from lake.requests)) as first_day,
    greatest((select max(day) from lake.items), (select max(day) from lake.requests)) as newest_day,
    (select min(started_at) from lake.sessions) as first_at,
    (select max(ended_at) from lake.sessions) as newest_at
