-- Scales are held within bounds that are stated beforehand; else a residual could be made small by free numbers.
-- reads: calibrations
-- params: none
-- grain: session x model x class of item that offends
with bounds (measure, least_scale, most_scale, least_framing, most_framing) as (
    values
    ('result', 0.7, 1.6, 0, 80),
    ('marks', 0.0, 0.8, 0, 0),
    ('call', 0.8, 1.8, 0, 120),
    ('text', 0.8, 1.8, 0, 40),
    ('prompt', 0.8, 1.8, 0, 60),
    ('reasoning', 0.5, 4.0, 0, 60),
    ('opaque', 0.1, 0.35, -80, 20),
    ('image', 0.0, 0.0, 200, 3000),
    ('sized_image', 0.8, 1.3, 0, 60)
)
select calibrations.session_id, calibrations.model, calibrations.measure, calibrations.scale, calibrations.framing, calibrations.factor
from calibrations
left join bounds using (measure)
where
    coalesce(calibrations.scale not between bounds.least_scale and bounds.most_scale, true)
    or coalesce(calibrations.framing not between bounds.least_framing and bounds.most_framing, true)
    or coalesce(calibrations.factor not between 0.85 and 1.2, true)
order by calibrations.session_id, calibrations.model, calibrations.measure
