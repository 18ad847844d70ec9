// Strips: the lanes of one multiprocessor as pixels, one row per lane of an issue port, one column per pixel of width.
// Near, every issue is drawn. From 16 cycles per pixel on, sums over 16, 64, 256, ... cycles are, which are made once, so
// that a million issues pan as fast as a thousand.

const firstBin = 16, factor = 4;

export class Strip {
    // `strand`: the only one shown; null: all.
    constructor(trace, sm, width, blockOf, strand) {
        Object.assign(this, { trace, sm, width, blockOf, strand });
        this.rows = trace.ports * width;
        this.last = trace.lastCycle(sm);
    }

    hasLane(i, lane) {
        return lane < 32 ? this.trace.low[i] >>> lane & 1 : this.trace.high[i] >>> lane - 32 & 1;
    }

    makeLevels() {
        const t = this.trace, bins = Math.ceil(this.last / firstBin) + 1, [first, end] = t.ranges.get(this.sm) ?? [0, 0];
        const busy = new Uint16Array(bins * this.rows), block = new Uint16Array(bins * this.rows);
        for (let i = first; i < end; i++) {
            if (this.strand !== null && t.strand[i] !== this.strand) continue;
            const top = t.port[i] * this.width, b = this.blockOf[t.pc[i]] + 1;
            for (let k = 0; k < t.cycles[i]; k++) {
                const at = Math.floor((t.cycle[i] + k) / firstBin) * this.rows + top;
                for (let lane = 0, bits = t.low[i]; bits; lane++, bits >>>= 1)
                    if (bits & 1) {
                        busy[at + lane]++;
                        block[at + lane] = b;
                    }
                for (let lane = 32, bits = t.high[i]; bits; lane++, bits >>>= 1)
                    if (bits & 1) {
                        busy[at + lane]++;
                        block[at + lane] = b;
                    }
            }
        }
        this.levels = [{ cycles: firstBin, bins, busy: Float32Array.from(busy, v => v / firstBin), block }];
        while (this.levels[this.levels.length - 1].bins > 2048) this.levels.push(this.coarser(this.levels[this.levels.length - 1]));
    }

    coarser(fine) {
        const bins = Math.ceil(fine.bins / factor), busy = new Float32Array(bins * this.rows), block = new Uint16Array(bins * this.rows);
        for (let f = 0; f < fine.bins; f++)
            for (let row = 0; row < this.rows; row++) {
                const to = Math.floor(f / factor) * this.rows + row, from = f * this.rows + row;
                busy[to] += fine.busy[from] / factor;
                if (fine.block[from]) block[to] = fine.block[from];
            }
        return { cycles: fine.cycles * factor, bins, busy, block };
    }

    // Fills `pixels` (32 bits each, `columns` x rows) with the cycles [from, to). `colours`: { block: [], held, empty } as
    // pixels.
    draw(pixels, columns, from, to, colours) {
        pixels.fill(colours.empty);
        const perColumn = (to - from) / columns;
        if (perColumn < firstBin) this.drawIssues(pixels, columns, from, to, colours);
        else this.drawSums(pixels, columns, from, perColumn, colours);
    }

    drawIssues(pixels, columns, from, to, colours) {
        const t = this.trace, [first, end] = t.issuesIn(this.sm, Math.floor(from), Math.ceil(to)), scale = columns / (to - from);
        for (let i = first; i < end; i++) {
            if (this.strand !== null && t.strand[i] !== this.strand) continue;
            const x0 = Math.max(0, Math.floor((t.cycle[i] - from) * scale)), x1 = Math.min(columns, Math.max(x0 + 1, Math.floor((t.cycle[i] + t.cycles[i] - from) * scale)));
            const top = t.port[i] * this.width, colour = colours.block[this.blockOf[t.pc[i]] % colours.block.length];
            for (let lane = 0; lane < this.width; lane++) {
                const at = (top + lane) * columns, value = this.hasLane(i, lane) ? colour : colours.held;
                for (let x = x0; x < x1; x++) pixels[at + x] = value;
            }
        }
    }

    drawSums(pixels, columns, from, perColumn, colours) {
        if (!this.levels) this.makeLevels();
        const level = this.levels.filter(l => l.cycles <= perColumn).pop() ?? this.levels[0];
        for (let x = 0; x < columns; x++) {
            const first = Math.max(0, Math.floor((from + x * perColumn) / level.cycles)), end = Math.min(level.bins, Math.max(first + 1, Math.floor((from + (x + 1) * perColumn) / level.cycles)));
            for (let row = 0; row < this.rows; row++) {
                let sum = 0, block = 0;
                for (let bin = first; bin < end; bin++) {
                    sum += level.busy[bin * this.rows + row];
                    block = level.block[bin * this.rows + row] || block;
                }
                if (block) pixels[row * columns + x] = mix(colours.empty, colours.block[(block - 1) % colours.block.length], Math.min(1, 0.15 + 0.85 * sum / (end - first)));
            }
        }
    }
}

// Pixels as the canvas has them: red in the lowest byte.
export const pixel = (r, g, b) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
export function pixelOf(hex) {
    const v = parseInt(hex.slice(1), 16);
    return pixel(v >> 16, v >> 8 & 255, v & 255);
}
function mix(a, b, t) {
    const part = shift => Math.round((a >>> shift & 255) + ((b >>> shift & 255) - (a >>> shift & 255)) * t) << shift;
    return (255 << 24 | part(16) | part(8) | part(0)) >>> 0;
}
