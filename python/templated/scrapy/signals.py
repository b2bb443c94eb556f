"""Signals of templated, in addition to scrapy.signals.

template_event(event, spider): the daemon reports an event of a site that the
spider visited; `event` is a templated.Event, for example "template.changed".
template_saturated(template, spider): the spider has received
TEMPLATED_SATURATION pages of the template "HOST/N".
"""

from __future__ import annotations

template_event = object()
template_saturated = object()
