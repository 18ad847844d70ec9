// Efficiency by program and mechanism, as a table of shades.
import { scaleBand } from "d3-scale";
import { frame, responsive, tell, words } from "./chart.js";
import { select, svg } from "./dom.js";
import { figure } from "./figure.js";
import { formats, shortName } from "./format.js";
import { measure } from "./runs.js";
import { ink, shade, shadeInk } from "./theme.js";

const offered = [["simd", "SIMD efficiency"], ["speedup", "Speedup"], ["divergent", "Divergent branches"], ["ipc", "Thread IPC"]];

// Mean of the measure over the runs of each program and mechanism.
function cells(runs, state, id) {
    const m = measure(id), sums = new Map();
    for (const i of state.runs) {
        const value = runs.text("failure", i) ? NaN : m.value(runs, i, state.baseline);
        const key = JSON.stringify([runs.text("name", i), runs.text("mechanism", i)]);
        if (isNaN(value)) continue;
        const cell = sums.get(key) ?? { sum: 0, count: 0 };
        cell.sum += value;
        cell.count++;
        sums.set(key, cell);
    }
    return [...sums].map(([key, { sum, count }]) => {
        const [program, mechanism] = JSON.parse(key);
        return { program, mechanism, value: sum / count, count };
    });
}

function draw(runs, state, id, width) {
    const list = cells(runs, state, id), m = measure(id), c = ink();
    const programs = [...new Set(list.map(e => e.program))], mechanisms = [...new Set(list.map(e => e.mechanism))];
    const left = Math.min(150, 20 + 7 * Math.max(4, ...programs.map(p => shortName(p).length))), top = 84, row = 26;
    const whole = Math.max(Math.min(width, left + 90 * mechanisms.length), left + 50 * mechanisms.length + 50), height = top + row * programs.length + 44;
    const picture = frame(whole, height, `${m.label} by program and mechanism`);
    const x = scaleBand(mechanisms, [left, whole - 40]).padding(0.03), y = scaleBand(programs, [top, top + row * programs.length]).padding(0.06);
    const high = id === "simd" || id === "divergent" ? 1 : Math.max(...list.map(e => e.value), 1e-9);
    for (const name of mechanisms) {
        const at = x(name) + x.bandwidth() / 2;
        picture.append(words(at, top - 6, name, { transform: `rotate(-40 ${at} ${top - 6})` }));
    }
    for (const name of programs) picture.append(words(left - 8, y(name) + y.bandwidth() / 2 + 4, shortName(name), { "text-anchor": "end" }));
    for (const e of list) {
        const t = e.value / high, mark = svg("g", { class: "cell", "data-program": e.program, "data-mechanism": e.mechanism },
            svg("rect", { x: x(e.mechanism), y: y(e.program), width: x.bandwidth(), height: y.bandwidth(), fill: shade(t) }),
            words(x(e.mechanism) + x.bandwidth() / 2, y(e.program) + y.bandwidth() / 2 + 4, formats[m.format](e.value).replace(" ", ""), { "text-anchor": "middle", fill: shadeInk(t), "font-size": 11 }));
        picture.append(tell(mark, [`${e.program} under ${e.mechanism}`, `${m.label}: ${formats[m.format](e.value)}`, ...e.count > 1 ? [`mean of ${e.count} runs`] : []]));
    }
    for (let i = 0; i < 60; i++) picture.append(svg("rect", { x: left + 2 * i, y: height - 22, width: 2.2, height: 10, fill: shade(i / 59) }));
    picture.append(words(left + 126, height - 13, `0 to ${formats[m.format](high)}`, { fill: c.soft }));
    return picture;
}

export function heatmapFigure(runs, state, command) {
    let id = "simd";
    const box = responsive(width => draw(runs, state, id, width));
    const element = figure({ title: "Programs by mechanisms", command,
        note: "SIMD efficiency is the share of lanes that held a thread, over all issues. Bright is high.",
        controls: select("Shows", offered.filter(([o]) => o !== "speedup" || runs.values("mechanism").length > 1), id, v => { id = v; box.redraw(); }),
        body: box, picture: box.picture,
        rows: () => [["program", "mechanism", measure(id).label, "runs"], ...cells(runs, state, id).map(e => [e.program, e.mechanism, e.value, e.count])] });
    return { element, redraw: box.redraw };
}
