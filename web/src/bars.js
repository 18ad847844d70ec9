// Speedups over the baseline: bars by program, one per mechanism, their harmonic mean, and published values as marks.
import { scaleBand, scaleLinear } from "d3-scale";
import { axisBottom, axisLeft, drawAxis, frame, legend, legendHeight, responsive, tell, words } from "./chart.js";
import { svg } from "./dom.js";
import { figure } from "./figure.js";
import { formats, shortName } from "./format.js";
import { hue, ink } from "./theme.js";

const meanLabel = "harmonic mean";

// [program, Map of mechanism -> { speedup, runs }] of the chosen runs. Runs that differ in settings count with their mean.
export function speedups(runs, state) {
    const programs = new Map();
    for (const i of state.runs) {
        const value = runs.speedup(i, state.baseline), name = runs.text("name", i), mechanism = runs.text("mechanism", i);
        if (isNaN(value) || mechanism === state.baseline) continue;
        if (!programs.has(name)) programs.set(name, new Map());
        const cells = programs.get(name);
        if (!cells.has(mechanism)) cells.set(mechanism, []);
        cells.get(mechanism).push(value);
    }
    const harmonic = list => list.length / list.reduce((sum, v) => sum + 1 / v, 0);
    const rows = [...programs].map(([name, cells]) => [name, new Map([...cells].map(([m, list]) => [m, harmonic(list)]))]);
    if (rows.length > 1) {
        const mean = new Map();
        for (const m of new Set(rows.flatMap(([, cells]) => [...cells.keys()]))) {
            const list = rows.map(([, cells]) => cells.get(m));
            if (list.every(v => v !== undefined)) mean.set(m, harmonic(list));
        }
        if (mean.size) rows.push([meanLabel, mean]);
    }
    return rows;
}

function draw(runs, state, published, width) {
    const rows = speedups(runs, state), c = ink();
    const mechanisms = [...new Set(rows.flatMap(([, cells]) => [...cells.keys()]))];
    const left = 52, bottom = 78, top = 12, plot = 260;
    const needed = left + rows.length * Math.max(46, 9 * mechanisms.length + 12) + 12, whole = Math.max(width, needed);
    const height = top + plot + bottom + legendHeight([...mechanisms, "published"], whole - left);
    const picture = frame(whole, height, `Speedup over ${state.baseline} by program and mechanism`);
    const top_value = Math.max(1.05, ...rows.flatMap(([, cells]) => [...cells.values()]), ...published.map(p => p.value));
    const y = scaleLinear([0, top_value], [top + plot, top]).nice(6);
    const x = scaleBand(rows.map(([name]) => name), [left, whole - 8]).paddingInner(0.18).paddingOuter(0.08);
    const inner = scaleBand(mechanisms, [0, x.bandwidth()]).padding(mechanisms.length > 6 ? 0.05 : 0.12);
    drawAxis(picture, axisLeft(y).ticks(6), left, 0, 0);
    for (const t of y.ticks(6))
        picture.append(svg("line", { x1: left, x2: whole - 8, y1: y(t), y2: y(t), stroke: t === 1 ? c.soft : c.line, "stroke-width": t === 1 ? 1.5 : 1 }));
    picture.append(words(14, top + plot / 2, `speedup over ${state.baseline}`, { transform: `rotate(-90 14 ${top + plot / 2})`, "text-anchor": "middle" }));
    for (const [name, cells] of rows)
        for (const [m, value] of cells) {
            const bar = svg("rect", { x: x(name) + inner(m), width: inner.bandwidth(), y: y(value), height: y(0) - y(value),
                fill: hue(mechanisms.indexOf(m)), class: "bar", "data-program": name, "data-mechanism": m });
            picture.append(tell(bar, [`${name} under ${m}`, `speedup ${formats.ratio(value)} over ${state.baseline}`]));
        }
    const marks = published.filter(p => x(p.program) !== undefined && inner(p.mechanism) !== undefined);
    for (const p of marks) {
        const cx = x(p.program) + inner(p.mechanism) + inner.bandwidth() / 2, cy = y(p.value);
        picture.append(tell(svg("path", { d: `M${cx - 6},${cy}L${cx},${cy - 6}L${cx + 6},${cy}L${cx},${cy + 6}Z`, fill: c.paper, stroke: c.mark, "stroke-width": 1.5, class: "published" }),
            [`published: ${formats.ratio(p.value)}`, p.source]));
    }
    const names = drawAxis(picture, axisBottom(x).tickFormat(n => n === meanLabel ? n : shortName(n)), 0, top + plot);
    names.querySelectorAll("text").forEach(t => {
        t.setAttribute("transform", "rotate(-35)");
        t.setAttribute("text-anchor", "end");
    });
    legend(picture, [...mechanisms.map((m, i) => [m, hue(i)]), ...marks.length ? [["published (diamond)", c.mark]] : []], left, top + plot + bottom - 8, whole - left);
    return picture;
}

// `published`: [{ program, mechanism, value, source }] of papers.
export function speedupFigure(runs, state, published, command) {
    const box = responsive(width => draw(runs, state, published, width));
    const element = figure({ title: `Speedup over the baseline`, command,
        note: "Cycles of the baseline divided by the run's cycles. Above 1 is faster. Runs of one program that differ in settings count with their harmonic mean.",
        body: box, picture: box.picture,
        rows: () => [["program", "mechanism", "baseline", "speedup"], ...speedups(runs, state).flatMap(([name, cells]) => [...cells].map(([m, v]) => [name, m, state.baseline, v]))] });
    return { element, redraw: box.redraw };
}
