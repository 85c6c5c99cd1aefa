"""Numbers from a recording: one file a measure, each number with its unit and its interval.

A member has UNIT (as in Estimate), BETTER ("lower" or "higher"), EQUAL_WITHIN (the difference below
which nobody cares, unless the plan says otherwise: a share of the value, but for measures in shares
an absolute one), and

    estimate(recording, *, route=None) -> Estimate | None

a pure function of the recording's folder. It looks at the measured window only and returns None
where the recording cannot tell. Requests that only fetch a token (class login) are in no measure
unless their route is named. The members' docstrings are the reference pages: headings What it is,
Unit, How it is computed, Interval, When it misleads. All quantiles are variants of one file, see
base.members.
"""

HAS_VARIANTS = True
