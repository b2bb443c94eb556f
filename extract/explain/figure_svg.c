#include "extract/explain/figure_svg.h"

#include "extract/core/trace.h"
#include "extract/explain/figure_plot.h"

/*
 * Colours of Okabe and Ito, "Color Universal Design", which colour-blind people
 * can distinguish; lighter ones on a dark background. Groups also differ in
 * shape.
 */
static const char style[] =
	".fig{display:block;width:100%;height:auto;max-width:60em;"
	"font:13px system-ui,sans-serif;"
	"--ink:#1b1b1b;--quiet:#5c5c5c;--rule:#d9dde2;--c0:#0072b2;"
	"--c1:#d55e00;--c2:#007a5a;--c3:#a0568a}\n"
	"@media(prefers-color-scheme:dark){.fig{--ink:#e4e4e4;"
	"--quiet:#a3a3a3;--rule:#363c43;--c0:#56b4e9;--c1:#e69f00;"
	"--c2:#2ec49a;--c3:#e39acb}}\n"
	".fig text{fill:var(--ink)}.fig .ti{font-size:16px;font-weight:600}\n"
	".fig .tk{fill:var(--quiet)}.fig .e{text-anchor:end}"
	".fig .c{text-anchor:middle}\n"
	".fig .ax{stroke:var(--quiet);fill:none}"
	".fig .gr{stroke:var(--rule);fill:none}\n"
	".fig .th{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:7 4;"
	"fill:none}\n"
	".fig .c0,.fig .c1,.fig .c2{fill:none;stroke-linejoin:round}\n"
	".fig .c0{stroke:var(--c0);stroke-width:1.8}"
	".fig .c1{stroke:var(--c1);stroke-dasharray:6 2;opacity:.6}"
	".fig .c2{stroke:var(--c2);stroke-dasharray:2 2;opacity:.7}\n"
	".fig .r1{fill:var(--c0);fill-opacity:.22}"
	".fig .r0{fill:var(--quiet);fill-opacity:.16}\n"
	".fig .b1{fill:var(--c0)}.fig .b0{fill:var(--c1);fill-opacity:.75}\n"
	".fig .g0,.fig .g1,.fig .g2,.fig .g3{fill:none}\n"
	".fig .g0{stroke:var(--c1);stroke-width:4;stroke-linecap:round}"
	".fig .g1{stroke:var(--c0);stroke-width:5;stroke-linecap:square}\n"
	".fig .g2{stroke:var(--c2);stroke-width:7;stroke-linecap:round}"
	".fig .g3{stroke:var(--c3);stroke-width:3;stroke-linecap:square}\n"
	".fig .bx{fill:var(--quiet);stroke:var(--quiet);stroke-width:.6}"
	".fig .by{fill:var(--c0);stroke:var(--c0);stroke-width:3}\n";

void plot_style(struct buffer *out)
{
	buffer_append_text(out, style);
}

void plot_svg(const struct figure *figure, struct buffer *out)
{
	switch (figure->kind) {
	case FIGURE_CURVE:
		plot_curve(figure, out);
		break;
	case FIGURE_HISTOGRAM:
		plot_histogram(figure, out);
		break;
	case FIGURE_SCATTER:
		plot_scatter(figure, out);
		break;
	case FIGURE_BOXES:
		plot_boxes(figure, out);
		break;
	}
}
