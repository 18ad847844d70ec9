// Sweeps: a measure over the values of a knob, one line per mechanism, the mean over programs.
import { scaleLinear, scalePoint } from "d3-scale";
import { line } from "d3-shape";
import { axisBottom, axisLeft, drawAxis, frame, legend, legendHeight, responsive, tell, words } from "./chart.js";
import { select, svg } from "./dom.js";
import { figure } from "./figure.js";
import { brief, formats } from "./format.js";
import { measure } from "./runs.js";
import { hue, ink } from "./theme.js";

// "128K" and the like count as numbers, for the order of values.
function size(value) {
    const [, digits, unit] = /^([\d.]+)([KMG]?)$/i.exec(value) ?? [];
    return digits === undefined ? NaN : digits * 1024 ** " KMG".indexOf((unit || " ").toUpperCase());
}
const inOrder = values => values.every(v => !isNaN(size(v))) ? [...values].sort((a, b) => size(a) - size(b)) : [...values].sort();

// [mechanism, Map of value -> mean] for the chosen program, or over all.
function lines(runs, state, chosen) {
    const m = measure(chosen.measure), found = new Map();
    for (const i of state.runs) {
        const value = new Map(runs.settings(i)).get(chosen.knob), y = runs.text("failure", i) ? NaN : m.value(runs, i, state.baseline);
        if (value === undefined || isNaN(y) || chosen.program && runs.text("name", i) !== chosen.program) continue;
        const mechanism = runs.text("mechanism", i);
        if (!found.has(mechanism)) found.set(mechanism, new Map());
        const at = found.get(mechanism);
        if (!at.has(value)) at.set(value, []);
        at.get(value).push(y);
    }
    return [...found].map(([name, at]) => [name, new Map([...at].map(([v, list]) => [v, list.reduce((a, b) => a + b) / list.length]))]);
}

function draw(runs, state, chosen, width) {
    const list = lines(runs, state, chosen), c = ink(), m = measure(chosen.measure);
    const values = inOrder(new Set(list.flatMap(([, at]) => [...at.keys()])).size ? [...new Set(list.flatMap(([, at]) => [...at.keys()]))] : []);
    const left = 62, top = 12, plot = 240, whole = Math.max(300, Math.min(width, 900));
    const picture = frame(whole, top + plot + 56 + legendHeight(list.map(([n]) => n), whole - left), `${m.label} over ${chosen.knob}`);
    const high = Math.max(1e-9, ...list.flatMap(([, at]) => [...at.values()]));
    const x = scalePoint(values, [left, whole - 16]).padding(0.4), y = scaleLinear([0, high], [top + plot, top]).nice(5);
    for (const t of y.ticks(5)) picture.append(svg("line", { x1: left, x2: whole - 8, y1: y(t), y2: y(t), stroke: c.line }));
    drawAxis(picture, axisLeft(y).ticks(5).tickFormat(v => m.format === "percent" ? `${Math.round(100 * v)} %` : brief(v)), left, 0);
    drawAxis(picture, axisBottom(x), 0, top + plot);
    picture.append(words((left + whole) / 2, top + plot + 36, chosen.knob, { "text-anchor": "middle" }),
        words(14, top + plot / 2, m.label, { transform: `rotate(-90 14 ${top + plot / 2})`, "text-anchor": "middle" }));
    list.forEach(([name, at], i) => {
        const points = values.filter(v => at.has(v)).map(v => [x(v), y(at.get(v)), v]);
        picture.append(svg("path", { d: line()(points), fill: "none", stroke: hue(i), "stroke-width": 2, class: "series" }));
        for (const [px, py, v] of points)
            picture.append(tell(svg("circle", { cx: px, cy: py, r: 4, fill: hue(i), class: "point" }), [`${name}, ${chosen.knob} = ${v}`, `${m.label}: ${formats[m.format](at.get(v))}`]));
    });
    legend(picture, list.map(([name], i) => [name, hue(i)]), left, top + plot + 48, whole - left);
    return picture;
}

// null if no knob has several values.
export function sweepFigure(runs, state, command) {
    const knobs = runs.knobs();
    if (!knobs.length) return null;
    const chosen = { knob: knobs[0], measure: "cycles", program: "" };
    const box = responsive(width => draw(runs, state, chosen, width));
    const set = name => value => { chosen[name] = value; box.redraw(); };
    const element = figure({ title: "Sweep", note: "The mean over the chosen runs, by the value of a knob.", command,
        controls: [select("Knob", knobs.map(k => [k, k]), chosen.knob, set("knob")),
            select("Measure", [["cycles", "Cycles"], ["speedup", "Speedup"], ["simd", "SIMD efficiency"], ["ipc", "Thread IPC"]], "cycles", set("measure")),
            select("Program", [["", "mean of all"], ...runs.values("name").map(n => [n, n])], "", set("program"))],
        body: box, picture: box.picture,
        rows: () => [["mechanism", chosen.knob, measure(chosen.measure).label], ...lines(runs, state, chosen).flatMap(([n, at]) => [...at].map(([v, y]) => [n, v, y]))] });
    return { element, redraw: box.redraw };
}
