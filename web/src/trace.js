// The trace of a kernel, as src/run/detail_trace.c writes it: issues, states of the mechanism, and stalls.
import { unpackNumbers, unpackText } from "./packed.js";

const columnsOf = (packed, names) => Object.fromEntries(names.map(n => [n, unpackNumbers(packed[n])]));

// First index in [from, to) whose value is at least `value`.
export function lowerBound(column, value, from, to) {
    while (from < to) {
        const middle = from + to >> 1;
        if (column[middle] < value) from = middle + 1;
        else to = middle;
    }
    return from;
}

// Ranges of rows by multiprocessor: rows are sorted by it.
function rangesOf(sm) {
    const ranges = new Map();
    for (let i = 0; i < sm.length;) {
        const end = lowerBound(sm, sm[i] + 1, i, sm.length);
        ranges.set(sm[i], [i, end]);
        i = end;
    }
    return ranges;
}

const checkpointEvery = 512;

export class Trace {
    constructor(json) {
        const issues = columnsOf(json.issues, ["sm", "cycle", "cycles", "port", "strand", "pc", "slots", "high_slots", "threads"]);
        this.dropped = json.dropped;
        this.cycle = issues.cycle;
        this.cycles = Uint16Array.from(issues.cycles);
        this.port = Uint8Array.from(issues.port);
        this.strand = Int32Array.from(issues.strand);
        this.pc = Int32Array.from(issues.pc);
        this.low = Uint32Array.from(issues.slots);
        this.high = Uint32Array.from(issues.high_slots);
        this.threads = Uint16Array.from(issues.threads);
        this.ranges = rangesOf(issues.sm);
        this.sms = [...this.ranges.keys()];
        this.states = columnsOf(json.states, ["sm", "cycle", "text"]);
        this.stateRanges = rangesOf(this.states.sm);
        this.texts = unpackText(json.texts).split("\0");
        this.blocks = columnsOf(json.blocks, ["sm", "cycle", "block", "is_end"]);
        this.stalls = columnsOf(json.stalls, ["sm", "cycle", "end", "reason"]);
        this.stallRanges = rangesOf(this.stalls.sm);
        this.reasons = json.reasons;
        this.ports = this.port.reduce((most, p) => Math.max(most, p), 0) + 1;
        this.longest = this.cycles.reduce((most, c) => Math.max(most, c), 1);
        this.checkpoints = new Map();
    }

    get count() {
        return this.cycle.length;
    }

    lastCycle(sm) {
        const [first, end] = this.ranges.get(sm) ?? [0, 0];
        return end > first ? this.cycle[end - 1] + this.cycles[end - 1] : 1;
    }

    // Indices [first, end) of the issues that hold lanes in the cycles [from, to).
    issuesIn(sm, from, to) {
        const [first, end] = this.ranges.get(sm) ?? [0, 0];
        return [lowerBound(this.cycle, from - this.longest + 1, first, end), lowerBound(this.cycle, to, first, end)];
    }

    // The issue that holds the lane of a port in a cycle; -1: none.
    at(sm, cycle, port, strand) {
        const [first, end] = this.issuesIn(sm, cycle, cycle + 1);
        for (let i = end - 1; i >= first; i--)
            if (this.port[i] === port && this.cycle[i] <= cycle && cycle < this.cycle[i] + this.cycles[i] && (strand === null || this.strand[i] === strand)) return i;
        return -1;
    }

    // A text consists of paragraphs, whose lines but the first begin with a blank; the first line says whose state it is.
    apply(paragraphs, index, end) {
        for (; index < end; index++)
            for (const paragraph of this.texts[this.states.text[index]].split(/\n(?! )/))
                if (paragraph) paragraphs.set(paragraph.split("\n", 1)[0].split(" ").slice(0, 2).join(" "), { text: paragraph, cycle: this.states.cycle[index] });
        return paragraphs;
    }

    // What the mechanism's state is at the end of a cycle: [{ text, cycle }], with the cycle since which it is so. Every
    // 512th state is kept, so that any cycle is near one.
    stateAt(sm, cycle) {
        const [first, end] = this.stateRanges.get(sm) ?? [0, 0], to = lowerBound(this.states.cycle, cycle + 1, first, end);
        if (!this.checkpoints.has(sm)) this.checkpoints.set(sm, [new Map()]);
        const kept = this.checkpoints.get(sm), wanted = Math.floor((to - first) / checkpointEvery);
        while (kept.length <= wanted) {
            const from = first + (kept.length - 1) * checkpointEvery;
            kept.push(this.apply(new Map(kept[kept.length - 1]), from, from + checkpointEvery));
        }
        const now = this.apply(new Map(kept[wanted]), first + wanted * checkpointEvery, to);
        for (let i = 0; i < this.blocks.cycle.length; i++)
            if (this.blocks.sm[i] === sm && this.blocks.is_end[i] && this.blocks.cycle[i] < cycle) {
                const key = `block ${this.blocks.block[i]}`;
                if (now.has(key) && now.get(key).cycle <= this.blocks.cycle[i]) now.delete(key);
            }
        return [...now.values()];
    }

    // The next cycle, by direction 1 or -1, in which something issues or a state changes.
    step(sm, cycle, direction) {
        const near = (column, range) => {
            if (!range) return null;
            const i = direction > 0 ? lowerBound(column, cycle + 1, ...range) : lowerBound(column, cycle, ...range) - 1;
            return i >= range[0] && i < range[1] ? column[i] : null;
        };
        const found = [near(this.cycle, this.ranges.get(sm)), near(this.states.cycle, this.stateRanges.get(sm))].filter(c => c !== null);
        return found.length ? direction > 0 ? Math.min(...found) : Math.max(...found) : cycle;
    }

    stallAt(sm, cycle) {
        const [first, end] = this.stallRanges.get(sm) ?? [0, 0], i = lowerBound(this.stalls.cycle, cycle + 1, first, end) - 1;
        return i >= first && cycle < this.stalls.end[i] ? this.reasons[this.stalls.reason[i]] : null;
    }
}
