// Where cycles went, in the papers' form: stacked bars by program and mechanism, of the threads that issued in a cycle
// (W1-4 ... W29-32) and of why nothing did, relative to all cycles of the baseline.
import { scaleBand, scaleLinear } from "d3-scale";
import { axisLeft, drawAxis, frame, legend, legendHeight, responsive, tell, words } from "./chart.js";
import { select, svg } from "./dom.js";
import { figure } from "./figure.js";
import { formats, shortName } from "./format.js";
import { ink, shade } from "./theme.js";

const name = path => path.slice(3).replace(/^W0_/, "W0 ").replace("_", "–");
const about = { "sm.Stall": "a warp was ready, but its unit was busy", "sm.W0_Mem": "all warps waited for memory",
    "sm.W0_Sync": "all warps waited at a barrier", "sm.W0_Idle": "no warp was ready" };
const idleColours = { "sm.Stall": "#d55e00", "sm.W0_Mem": "#cc79a7", "sm.W0_Sync": "#e69f00", "sm.W0_Idle": "#b9b6ae" };

// One bar per run: its parts, as shares of the baseline's sum.
function bars(runs, state, leavesIdle) {
    const parts = runs.breakdown.filter(p => !leavesIdle || p !== "sm.W0_Idle");
    const sum = i => parts.reduce((total, p) => total + (runs.figure(p, i) || 0), 0);
    return state.runs.filter(i => !runs.text("failure", i) && sum(i) > 0).map(i => {
        const base = runs.baseline(i, state.baseline) ?? i;
        return { run: i, program: runs.text("name", i), mechanism: runs.text("mechanism", i), settings: runs.text("settings", i),
            parts: parts.map(p => ({ path: p, cycles: runs.figure(p, i) || 0, share: (runs.figure(p, i) || 0) / sum(base) })) };
    });
}

function colours(parts) {
    const widths = parts.filter(p => !(p in idleColours));
    return p => idleColours[p] ?? shade(widths.indexOf(p) / Math.max(1, widths.length - 1));
}

const most = 60;

function draw(runs, state, leavesIdle, width) {
    const all = bars(runs, state, leavesIdle), list = all.slice(0, most), c = ink();
    const parts = list[0]?.parts.map(p => p.path) ?? [], colour = colours(parts);
    const left = 52, top = 12, plot = 260, bottom = 96, keys = list.map(b => String(b.run));
    const whole = Math.max(width, left + 24 * list.length + 20);
    const picture = frame(whole, top + plot + bottom + legendHeight(parts.map(name), whole - left) + 8, "Where cycles went, by program and mechanism");
    const y = scaleLinear([0, Math.max(1, ...list.map(b => b.parts.reduce((s, p) => s + p.share, 0)))], [top + plot, top]).nice(5);
    const x = scaleBand(keys, [left, whole - 8]).padding(0.15);
    drawAxis(picture, axisLeft(y).ticks(5, "%"), left, 0);
    for (const t of y.ticks(5)) picture.append(svg("line", { x1: left, x2: whole - 8, y1: y(t), y2: y(t), stroke: c.line }));
    picture.append(words(14, top + plot / 2, "of the baseline's cycles", { transform: `rotate(-90 14 ${top + plot / 2})`, "text-anchor": "middle" }));
    list.forEach((b, k) => {
        let from = 0;
        for (const p of b.parts) {
            const part = svg("rect", { x: x(keys[k]), width: x.bandwidth(), y: y(from + p.share), height: Math.max(0, y(from) - y(from + p.share)), fill: colour(p.path), class: "part" });
            picture.append(tell(part, [`${b.program} under ${b.mechanism} ${b.settings}`, `${name(p.path)}: ${formats.whole(p.cycles)} cycles, ${formats.percent(p.share)}`, about[p.path] ?? "threads that issued in these cycles"]));
            from += p.share;
        }
        const middle = x(keys[k]) + x.bandwidth() / 2;
        picture.append(words(middle, top + plot + 12, `${shortName(b.program)} ${b.mechanism}`, { "text-anchor": "end", transform: `rotate(-45 ${middle} ${top + plot + 12})`, "font-size": 11 }));
    });
    legend(picture, parts.map(p => [name(p), colour(p)]), left, top + plot + bottom, whole - left);
    return picture;
}

export function breakdownFigure(runs, state, command) {
    let leavesIdle = true;
    const box = responsive(width => draw(runs, state, leavesIdle, width));
    const element = figure({ title: "Where the cycles went", command,
        note: `Cycles of all multiprocessors by the number of threads that issued, and by why none did, relative to those of the baseline that are shown. The first ${most} chosen runs are drawn.`,
        controls: select("Cycles in which no warp was ready", [["out", "left out"], ["in", "shown"]], "out", v => { leavesIdle = v === "out"; box.redraw(); }),
        body: box, picture: box.picture,
        rows: () => {
            const list = bars(runs, state, leavesIdle);
            return [["program", "mechanism", "settings", "part", "cycles", "share of baseline"],
                ...list.flatMap(b => b.parts.map(p => [b.program, b.mechanism, b.settings, name(p.path), p.cycles, p.share]))];
        } });
    return { element, redraw: box.redraw };
}
