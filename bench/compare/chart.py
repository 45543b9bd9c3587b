"""Two panels of lines over N on logarithmic axes, as SVG: text stays text, readable on light and dark."""

import math
from html import escape

WIDTH, HEIGHT, LEFT, TOP, GAP, LABEL = 420, 460, 60, 46, 60, 92


def spread(wanted, distance):
    """Heights near the wanted ones, at least so far apart."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    heights, last = list(wanted), -math.inf
    for i in order:
        heights[i] = last = max(wanted[i], last + distance)
    shift = max(0.0, last - (TOP + HEIGHT))
    floor = TOP + HEIGHT
    for i in reversed(order):
        heights[i] = floor = min(heights[i], floor - (distance if shift and floor < TOP + HEIGHT else 0))
    return heights


def powers(least, most, base):
    first, last = math.floor(math.log(least, base) + 1e-9), math.ceil(math.log(most, base) - 1e-9)
    return [base**i for i in range(first, last + 1)]


def panel(curves, column, title, left):
    xs = sorted({point[0] for _, _, points in curves for point in points})
    ys = powers(min(p[column] for _, _, points in curves for p in points),
                max(p[column] for _, _, points in curves for p in points), 10)

    def x(n):
        return left + WIDTH * math.log(n / xs[0]) / math.log(xs[-1] / xs[0])

    def y(value):
        return TOP + HEIGHT * (1 - math.log(value / ys[0]) / math.log(ys[-1] / ys[0]))

    parts = [f'<text x="{left}" y="{TOP - 14}" class="title">{escape(title)}</text>']
    for value in ys:
        parts.append(f'<path d="M{left} {y(value):.1f}h{WIDTH}" class="grid"/>'
                     f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for n in xs:
        parts.append(f'<path d="M{x(n):.1f} {TOP}v{HEIGHT}" class="grid"/>'
                     f'<text x="{x(n):.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{n}</text>')
    curves = [curve for curve in curves if curve[2]]
    heights = spread([y(points[-1][column]) for _, _, points in curves], 13)
    for (name, colour, points), height in zip(curves, heights):
        line = "L".join(f"{x(p[0]):.1f} {y(p[column]):.1f}" for p in points)
        end = left + WIDTH + 14
        parts.append(f'<path d="M{line}" stroke="{colour}" class="line"/>'
                     f'<path d="M{x(points[-1][0]):.1f} {y(points[-1][column]):.1f}L{end - 3} {height:.1f}" stroke="{colour}" '
                     f'class="lead"/><text x="{end}" y="{height + 4:.1f}" fill="{colour}">{escape(name)}</text>')
    return "\n".join(parts)


def log_lines(curves, titles, families):
    """`curves`: (name, colour, [(N, left value, right value)]); `families`: {name: colour}, the legend."""
    step = LEFT + WIDTH + LABEL + GAP - 30
    whole, tall = 2 * step, TOP + HEIGHT + 56
    legend = "".join(f'<tspan dx="14" fill="{colour}">■ {escape(name)}</tspan>' for name, colour in families.items())
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {tall}" width="{whole}" height="{tall}">
<style>
  text {{ font: 11px sans-serif; }} text:not([fill]) {{ fill: #555; }} .title {{ font-weight: bold; }}
  .grid {{ stroke: #8884; fill: none; }} .line {{ fill: none; stroke-width: 1.8; }}
  .lead {{ fill: none; stroke-width: 0.6; opacity: 0.6; }}
  @media (prefers-color-scheme: dark) {{ svg {{ background: #181818; }} text:not([fill]) {{ fill: #ccc; }} }}
</style>
{panel(curves, 1, titles[0], LEFT)}
{panel(curves, 2, titles[1], LEFT + step)}
<text x="{LEFT - 14}" y="{tall - 12}">{legend}</text>
</svg>
"""
