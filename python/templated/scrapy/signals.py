"""Signals of templated, beside those of scrapy.signals.

template_event(event, spider): the daemon tells of a site that the spider has
visited; `event` is a templated.Event, such as one of kind "template.changed".
template_saturated(template, spider): the spider has had TEMPLATED_SATURATION
pages of the template "HOST/N".
"""

from __future__ import annotations

template_event = object()
template_saturated = object()
