// Runs of a page: texts and figures by run, and the measures that views show.
import { decodeText, unpackNumbers } from "./packed.js";

const missing = new Float64Array(0);

export class Runs {
    constructor(json) {
        this.count = json.count;
        this.packed = json.figures;
        this.paths = Object.keys(json.figures);
        this.figures = new Map();
        this.texts = {};
        for (const [name, { values, at }] of Object.entries(json.texts)) {
            const decoded = values.map(decodeText), index = unpackNumbers(at);
            this.texts[name] = Array.from(index, i => isNaN(i) ? "" : decoded[i]);
        }
        this.all = Array.from({ length: this.count }, (_, i) => i);
    }

    text(name, run) {
        return this.texts[name][run];
    }

    // The distinct texts of a column, among these runs.
    values(name, among = this.all) {
        return [...new Set(among.map(i => this.texts[name][i]))];
    }

    // A figure by its path in docs/statistics.md. A figure that is 0 in all runs is left out of pages.
    figure(path, run) {
        if (!this.figures.has(path)) this.figures.set(path, this.packed[path] ? unpackNumbers(this.packed[path]) : missing);
        const column = this.figures.get(path);
        return column.length ? column[run] ?? NaN : 0;
    }

    has(path) {
        return path in this.packed;
    }

    // Runs with the same group differ in the mechanism alone.
    group(run) {
        const mechanism = this.text("mechanism", run).split("+")[0];
        const settings = this.text("settings", run).split(" ").filter(s => !s.startsWith(`${mechanism}.`)).sort().join(" ");
        return [this.text("name", run), this.text("gpu", run), this.text("size", run), settings].join("\n");
    }

    // The number of the group's baseline run, or undefined.
    baseline(run, mechanism) {
        if (this.baselineOf !== mechanism) {
            this.baselineOf = mechanism;
            this.baselines = new Map();
            for (const i of this.all)
                if (this.text("mechanism", i) === mechanism && !this.text("failure", i) && !this.baselines.has(this.group(i)))
                    this.baselines.set(this.group(i), i);
        }
        return this.baselines.get(this.group(run));
    }

    speedup(run, mechanism) {
        const base = this.baseline(run, mechanism);
        return base === undefined || this.text("failure", run) ? NaN : this.figure("cycles", base) / this.figure("cycles", run);
    }

    efficiency(run) {
        const slots = this.figure("sm.issue_slots", run) || 32 * this.figure("warp_instructions", run);
        return this.figure("thread_instructions", run) / slots;
    }

    // What cycles of all multiprocessors were spent on, in the order in which the papers stack them.
    get breakdown() {
        const widths = this.paths.filter(p => /^sm\.W[1-9]\d*_\d+$/.test(p)).sort((a, b) => parseInt(a.slice(4)) - parseInt(b.slice(4)));
        return [...widths, "sm.Stall", "sm.W0_Mem", "sm.W0_Sync", "sm.W0_Idle"].filter(p => this.has(p));
    }

    // Knobs of which runs have several values.
    knobs() {
        const known = new Map();
        for (const i of this.all)
            for (const [knob, value] of this.settings(i)) {
                if (!known.has(knob)) known.set(knob, new Set());
                known.get(knob).add(value);
            }
        return [...known].filter(([, values]) => values.size > 1).map(([knob]) => knob);
    }

    settings(run) {
        return this.text("settings", run).split(" ").filter(Boolean).map(s => s.split(/=(.*)/s).slice(0, 2));
    }
}

// Measures that tables and charts offer. `format` is a name of format.js.
export const measures = [
    { id: "cycles", label: "Cycles", format: "whole", value: (runs, i) => runs.figure("cycles", i) },
    { id: "speedup", label: "Speedup", format: "ratio", value: (runs, i, base) => runs.speedup(i, base) },
    { id: "simd", label: "SIMD efficiency", format: "percent", value: (runs, i) => runs.efficiency(i) },
    { id: "ipc", label: "Thread IPC", format: "ratio", value: (runs, i) => runs.figure("thread_instructions", i) / runs.figure("cycles", i) },
    { id: "warps", label: "Warp instructions", format: "whole", value: (runs, i) => runs.figure("warp_instructions", i) },
    { id: "divergent", label: "Divergent branches", format: "percent", value: (runs, i) => runs.figure("control.divergent_branches", i) / runs.figure("control.branches", i) },
    { id: "traffic", label: "Crossbar bytes", format: "whole", value: (runs, i) => runs.figure("crossbar.request_bytes", i) + runs.figure("crossbar.reply_bytes", i) },
];

export const measure = id => measures.find(m => m.id === id) ??
    { id, label: id, format: "whole", value: (runs, i) => runs.figure(id, i) };
