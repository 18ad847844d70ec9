// Kernels of runs: what each instruction did, summed over launches, with the program and its lines.
import { decodeText, unpackText } from "./packed.js";

export class Kernel {
    constructor(page, detail) {
        const of = detail.of, shared = page.programs[of.hash];
        Object.assign(this, { run: detail.run, launches: detail.launches, hash: of.hash, cycles: of.cycles, width: of.width,
            mechanism: page.runs.text("mechanism", detail.run) || of.mechanism, gpu: of.gpu, counters: of.counters,
            branchLost: of.branch_lost, barriers: of.barriers ?? [], trace: of.trace, page, launch: of.launch });
        this.name = decodeText(of.kernel);
        this.program = shared.program;
        this.places = shared.places;
        this.ptx = shared.ptx;
        this.target = page.runs.text("name", detail.run);
        this.settings = page.runs.text("settings", detail.run);
        this.command = page.runs.text("command", detail.run);
        this.branchAt = new Map(this.program.branches.map((b, i) => [b.pc, i]));
    }

    // Kernels with one key are the same code, so that their lines and blocks can stand side by side.
    get key() {
        return `${this.target}\n${this.name}\n${this.hash}`;
    }
    get label() {
        return `${this.mechanism} on ${this.gpu}${this.settings ? `, ${this.settings}` : ""}`;
    }
    sum(column, pcs) {
        return pcs.reduce((total, pc) => total + (this.counters[column][pc] ?? 0), 0);
    }
    // Mean number of threads of an issue.
    lanes(pcs) {
        return this.sum("threads", pcs) / this.sum("issues", pcs);
    }
    block(pc) {
        return this.program.blocks[this.program.instructions[pc].block];
    }

    // Texts that can be shown line by line: { id, label, first, lines, at } where at[pc] is the line of a PC, or 0.
    texts() {
        const all = [], { files, file, line } = this.places;
        for (const [number, path] of Object.entries(files)) {
            const packed = this.page.sources[path], at = file.map((f, pc) => f === +number ? line[pc] : 0);
            if (packed && at.some(l => l > 0))
                all.push({ id: path, label: decodeText(path), first: 1, lines: unpackText(packed).split("\n"), at });
        }
        all.push({ id: "ptx", label: "PTX", first: this.ptx.first, lines: unpackText(this.ptx.text).split("\n"),
            at: this.program.instructions.map(i => i.line) });
        return all;
    }

    where(pc) {
        return pc === null ? "the end of the threads" : decodeText(this.program.instructions[pc].where);
    }
}

const patterns = {
    "if": "An if without an else that matters: threads that skip the code wait for those that execute it.",
    "if-else": "Two sides: a warp whose threads part executes one side after the other.",
    "switch": "Several targets: a warp executes each target that one of its threads takes.",
    "calls": "The sides call functions.",
    "loop-exit": "The end of a loop: threads that leave early wait for the thread with the most rounds.",
    "loop-leave": "A way out of a loop from its middle.",
    "end": "One side ends its threads, which nobody waits for.",
    "uniform": "All threads of a warp go the same way, as heddle has proved.",
    "promised": "The code promises that all threads of a warp go the same way.",
};

// What may help, by the branch's pattern and by what was counted.
function advise(branch, diverged, lost) {
    if (!diverged) return "No warp parted here in this run: nothing to gain.";
    if (!lost) return "Warps parted here, but no lane that stayed empty is charged to this branch.";
    if (branch.class === "loop-exit" || branch.class === "loop-leave")
        return "Mechanisms that pack threads of several warps (tbc, dwf-wb) can refill the loop. In software, heddle recon --auto looks for a better reconvergence point, and the pass merge-loops for a loop around this one to merge with.";
    if (branch.interleavable)
        return "Both sides have code before they meet, so that mechanisms with several paths (dpe, dws, multipath, volta) can issue one side while the other waits; packing (tbc, dwf-wb) fills lanes if other warps part here too.";
    if (branch.class === "if")
        return "Only one side has work, so that several paths gain nothing; packing threads of several warps (tbc, dwf-wb) can fill the lanes, and a guard instead of the branch saves its issue if the body is short (--lower ptxas).";
    return "Packing threads of several warps (tbc, dwf-wb) may fill the lanes; heddle compare shows which mechanism gains.";
}

// What a branch opens to.
export function aboutBranch(kernel, index) {
    const b = kernel.program.branches[index], c = kernel.counters, issues = c.issues[b.pc], diverged = c.diverged[b.pc];
    return {
        branch: b, issues, diverged, taken: c.taken[b.pc] / c.threads[b.pc], lost: kernel.branchLost[index] / kernel.width,
        pattern: patterns[b.class] ?? b.class, why: b.why,
        parts: kernel.where(b.pc), meets: kernel.where(b.ipdom),
        targets: b.targets.map(pc => `${kernel.block(pc).name} (${kernel.where(pc)})`),
        advice: advise(b, diverged, kernel.branchLost[index]),
    };
}

// What the views of kernels have in common: which kernel is shown, and which run of it stands beside it.
export class Choice {
    constructor(page) {
        this.page = page;
        this.keys = [...new Set(page.kernels.map(k => k.key))];
        // The kernel with the most cycles first: it is the one that matters.
        const cycles = key => Math.max(...page.kernels.filter(k => k.key === key).map(k => k.cycles));
        this.keys.sort((a, b) => cycles(b) - cycles(a));
        this.setKey(this.keys[0]);
    }
    setKey(key) {
        this.key = key;
        this.first = this.same()[0];
        this.second = null;
    }
    same() {
        return this.page.kernels.filter(k => k.key === this.key);
    }
    shown() {
        return [this.first, this.second].filter(Boolean);
    }
}
