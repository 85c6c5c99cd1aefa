"""Catalogue of the knobs of common servers, pools and kernels, whoever starts them.

entry          one knob: kind, range, default, what it does, when it matters, how slowly it acts
systems/*      one file a system: its knobs (a room to extend)
translation    its texts in another language
look_up        a knob by `system.knob`, and its page
reference      all of them as a page of the documentation

A target's own catalogue (`loadrig.target`) says what the rig can set; this one says what it is good for.
"""
