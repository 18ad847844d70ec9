// Speedups over the baseline: bars by program, one per mechanism, their harmonic mean, and published values as marks.
import { scaleBand, scaleLinear } from "d3-scale";
import { axisBottom, axisLeft, drawAxis, frame, legend, legendHeight, responsive, tell, words } from "./chart.js";
import { svg } from "./dom.js";
import { figure } from "./figure.js";
import { formats, shortName } from "./format.js";
import { publishedOf } from "./published.js";
import { hue, ink } from "./theme.js";

const meanLabel = "harmonic mean";

const harmonic = list => list.length / list.reduce((sum, v) => sum + 1 / v, 0);

// Mechanism -> mean of its speedups in these rows, for mechanisms that all of them have.
function meanOf(rows) {
    const mean = new Map();
    for (const m of new Set(rows.flatMap(r => [...r.cells.keys()]))) {
        const list = rows.map(r => r.cells.get(m));
        if (list.every(v => v !== undefined)) mean.set(m, harmonic(list));
    }
    return mean;
}

// A name that no row has yet: sets of two papers may be called the same.
const newName = (name, rows) => rows.some(r => r.name === name) ? newName(`${name}'`, rows) : name;

// Rows of the chart: { name, cells: Map of mechanism -> speedup, runs: Map of mechanism -> runs }, one per program of the
// chosen runs, and means, which have no runs. Runs that differ in settings count with their mean. Published values are
// marks of rows: { mechanism, value, source }. A published mean of some of the programs gets a row of its own.
export function speedups(runs, state, published) {
    const programs = new Map();
    for (const i of state.runs) {
        const value = runs.speedup(i, state.baseline), name = runs.text("name", i), mechanism = runs.text("mechanism", i);
        if (isNaN(value) || mechanism === state.baseline) continue;
        if (!programs.has(name)) programs.set(name, { name, runs: new Map(), marks: [] });
        const row = programs.get(name);
        if (!row.runs.has(mechanism)) row.runs.set(mechanism, []);
        row.runs.get(mechanism).push(i);
    }
    const rows = [...programs.values()], means = [];
    for (const r of rows) r.cells = new Map([...r.runs].map(([m, list]) => [m, harmonic(list.map(i => runs.speedup(i, state.baseline)))]));
    for (const p of publishedOf(runs, state, published, programs)) {
        const of = p.programs.map(name => programs.get(name)), whole = of.length === rows.length;
        let row = of.length === 1 ? of[0] : means.find(m => m.of.length === of.length && m.of.every(r => of.includes(r)));
        if (!row) means.push(row = { name: whole ? meanLabel : newName(p.group, [...rows, ...means]), of, cells: meanOf(of), marks: [] });
        if (!row.marks.some(m => m.mechanism === p.run.mechanism && m.value === p.value)) row.marks.push({ mechanism: p.run.mechanism, value: p.value, source: p.source });
    }
    if (rows.length > 1 && !means.some(m => m.of.length === rows.length) && meanOf(rows).size) means.push({ name: meanLabel, of: rows, cells: meanOf(rows), marks: [] });
    return [...rows, ...means.sort((a, b) => a.of.length - b.of.length)];
}

function draw(runs, state, published, width) {
    const rows = speedups(runs, state, published), c = ink(), marks = rows.flatMap(r => r.marks.map(m => ({ ...m, name: r.name })));
    const mechanisms = [...new Set(rows.flatMap(r => [...r.cells.keys()]))];
    const left = 52, bottom = 78, top = 12, plot = 260;
    const needed = left + rows.length * Math.max(46, 9 * mechanisms.length + 12) + 12, whole = Math.max(width, needed);
    const height = top + plot + bottom + legendHeight([...mechanisms, "published"], whole - left);
    const picture = frame(whole, height, `Speedup over ${state.baseline} by program and mechanism`);
    const top_value = Math.max(1.05, ...rows.flatMap(r => [...r.cells.values()]), ...marks.map(m => m.value));
    const y = scaleLinear([0, top_value], [top + plot, top]).nice(6);
    const x = scaleBand(rows.map(r => r.name), [left, whole - 8]).paddingInner(0.18).paddingOuter(0.08);
    const inner = scaleBand(mechanisms, [0, x.bandwidth()]).padding(mechanisms.length > 6 ? 0.05 : 0.12);
    drawAxis(picture, axisLeft(y).ticks(6), left, 0, 0);
    for (const t of y.ticks(6))
        picture.append(svg("line", { x1: left, x2: whole - 8, y1: y(t), y2: y(t), stroke: t === 1 ? c.soft : c.line, "stroke-width": t === 1 ? 1.5 : 1 }));
    picture.append(words(14, top + plot / 2, `speedup over ${state.baseline}`, { transform: `rotate(-90 14 ${top + plot / 2})`, "text-anchor": "middle" }));
    for (const { name, cells } of rows)
        for (const [m, value] of cells) {
            const bar = svg("rect", { x: x(name) + inner(m), width: inner.bandwidth(), y: y(value), height: y(0) - y(value),
                fill: hue(mechanisms.indexOf(m)), class: "bar", "data-program": name, "data-mechanism": m });
            picture.append(tell(bar, [`${name} under ${m}`, `speedup ${formats.ratio(value)} over ${state.baseline}`]));
        }
    for (const p of marks) {
        const cx = x(p.name) + inner(p.mechanism) + inner.bandwidth() / 2, cy = y(p.value);
        const mark = svg("path", { d: `M${cx - 6},${cy}L${cx},${cy - 6}L${cx + 6},${cy}L${cx},${cy + 6}Z`, fill: c.paper, stroke: c.mark, "stroke-width": 1.5, class: "published", "data-program": p.name, "data-mechanism": p.mechanism, "data-value": p.value });
        picture.append(tell(mark, [`${p.name} under ${p.mechanism}`, `published: ${formats.ratio(p.value)}`, p.source]));
    }
    const names = drawAxis(picture, axisBottom(x).tickFormat(n => rows.find(r => r.name === n).of ? n : shortName(n)), 0, top + plot);
    names.querySelectorAll("text").forEach(t => {
        t.setAttribute("transform", "rotate(-35)");
        t.setAttribute("text-anchor", "end");
    });
    legend(picture, [...mechanisms.map((m, i) => [m, hue(i)]), ...marks.length ? [["published (diamond)", c.mark]] : []], left, top + plot + bottom - 8, whole - left);
    return picture;
}

// `published`: the speedups of papers, as src/page/published.c gives them.
export function speedupFigure(runs, state, published, command) {
    const box = responsive(width => draw(runs, state, published, width));
    const told = row => [...row.cells].map(([m, v]) => [row.name, m, state.baseline, v, row.marks.filter(p => p.mechanism === m).map(p => p.value).join(" ")]);
    const element = figure({ title: `Speedup over the baseline`, command,
        note: "Cycles of the baseline divided by the run's cycles. Above 1 is faster. Runs of one program that differ in settings count with their harmonic mean. A diamond is what a paper published for the program or the mean, on the same machine and with the same settings; the paper's inputs were others.",
        body: box, picture: box.picture,
        rows: () => [["program", "mechanism", "baseline", "speedup", "published"], ...speedups(runs, state, published).flatMap(told)] });
    return { element, redraw: box.redraw };
}
