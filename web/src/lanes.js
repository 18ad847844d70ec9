// Lanes: lanes by time of one multiprocessor, coloured by block, for one run or two; below, the mechanism's state at the
// cursor, which steps through the trace.
import { showTip, hideTip, font } from "./chart.js";
import { kernelChoosers } from "./choosers.js";
import { button, h, newId, select } from "./dom.js";
import { figure } from "./figure.js";
import { formats } from "./format.js";
import { Choice } from "./kernels.js";
import { Strip, pixelOf } from "./strip.js";
import { Trace } from "./trace.js";
import { hue, ink, isDark, onTheme } from "./theme.js";

const traceOf = kernel => kernel.unpackedTrace ??= new Trace(kernel.trace);
const axisHeight = 24, left = 46;

function maskText(trace, i, width) {
    let text = "";
    for (let lane = 0; lane < width; lane++) text += (lane < 32 ? trace.low[i] >>> lane & 1 : trace.high[i] >>> lane - 32 & 1) ? "1" : ".";
    return text;
}

// One canvas, which draws the window that all panels share.
class Panel {
    constructor(view, kernel) {
        Object.assign(this, { view, kernel, trace: traceOf(kernel) });
        this.sm = this.trace.sms[0];
        this.strand = null;
        this.blockOf = Uint16Array.from(kernel.program.instructions, i => i.block);
        this.canvas = h("canvas", { class: "lanes", tabindex: 0, role: "application", "aria-roledescription": "timeline",
            "aria-label": `Lanes by time under ${kernel.label}. Arrow keys step, plus and minus zoom, Shift and arrows pan.` });
        this.state = h("div", { class: "state", tabindex: 0, role: "group", "aria-label": `State of ${kernel.mechanism} at the cursor` });
        this.listen();
        this.setStrip();
    }

    setStrip() {
        this.strip = new Strip(this.trace, this.sm, this.kernel.width, this.blockOf, this.strand);
    }
    get rowHeight() {
        return this.strip.rows > 96 ? 3 : this.strip.rows > 40 ? 4 : this.strip.rows > 8 ? 7 : 16;
    }
    cycleAt(x) {
        const { first, last } = this.view.window;
        return first + (x - left) / Math.max(1, this.plotWidth) * (last - first);
    }
    xOf(cycle) {
        const { first, last } = this.view.window;
        return left + (cycle - first) / (last - first) * this.plotWidth;
    }

    colours() {
        return { block: this.kernel.program.blocks.map((_, i) => pixelOf(hue(i))), held: pixelOf(isDark() ? "#38362f" : "#e6e2d6"), empty: pixelOf(ink().paper) };
    }

    draw() {
        const wide = this.canvas.clientWidth, ratio = globalThis.devicePixelRatio || 1, tall = axisHeight + this.strip.rows * this.rowHeight + 6, c = ink();
        if (!wide) return;
        this.canvas.style.height = `${tall}px`;
        this.canvas.width = Math.round(wide * ratio);
        this.canvas.height = Math.round(tall * ratio);
        this.plotWidth = wide - left - 6;
        const context = this.canvas.getContext("2d"), columns = Math.max(1, Math.round(this.plotWidth * ratio));
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, wide, tall);
        if (this.buffer?.width !== columns || this.buffer.height !== this.strip.rows) {
            this.buffer = h("canvas", { width: columns, height: this.strip.rows });
            this.image = this.buffer.getContext("2d").createImageData(columns, this.strip.rows);
        }
        this.strip.draw(new Uint32Array(this.image.data.buffer), columns, this.view.window.first, this.view.window.last, this.colours());
        this.buffer.getContext("2d").putImageData(this.image, 0, 0);
        context.imageSmoothingEnabled = false;
        context.drawImage(this.buffer, left, axisHeight, this.plotWidth, this.strip.rows * this.rowHeight);
        this.drawAxes(context, wide, tall, c);
    }

    drawAxes(context, wide, tall, c) {
        const { first, last, cursor } = this.view.window, span = last - first;
        context.font = `11px ${font}`;
        context.fillStyle = context.strokeStyle = c.soft;
        const rough = span / Math.max(2, this.plotWidth / 110), unit = 10 ** Math.floor(Math.log10(rough)), step = Math.max(1, [1, 2, 5, 10].find(m => m * unit >= rough) * unit);
        for (let t = Math.ceil(first / step) * step; t <= last; t += step) {
            const x = this.xOf(t);
            context.fillRect(x, axisHeight - 5, 1, 5);
            context.fillText(formats.whole(t), x + 3, axisHeight - 9);
        }
        for (let port = 0; port < this.trace.ports; port++) {
            const y = axisHeight + port * this.kernel.width * this.rowHeight;
            if (port) context.fillRect(left - 40, y, wide, 1);
            context.fillText(`port ${port}`, 2, y + 12);
            context.fillText("lane 0", 2, y + 26);
            if (this.kernel.width * this.rowHeight > 60) context.fillText(`lane ${this.kernel.width - 1}`, 2, y + this.kernel.width * this.rowHeight - 4);
        }
        if (cursor >= first && cursor <= last) {
            context.fillStyle = c.mark;
            context.fillRect(Math.round(this.xOf(cursor)), axisHeight - 6, 1.5, tall - axisHeight + 6);
        }
    }

    // What the pointer or the cursor is at.
    describe(cycle, row) {
        const t = this.trace, port = Math.floor(row / this.kernel.width), i = t.at(this.sm, cycle, port, this.strand), k = this.kernel;
        if (i < 0) return [`cycle ${formats.whole(cycle)}, port ${port}: no issue`, ...t.stallAt(this.sm, cycle) ? [`nothing issues: ${t.stallAt(this.sm, cycle)}`] : []];
        const pc = t.pc[i], insn = k.program.instructions[pc];
        return [`cycle ${formats.whole(t.cycle[i])}, port ${port}, lane ${row % k.width}, strand ${t.strand[i]}`, `PC ${pc}, block ${k.block(pc).name}, ${k.where(pc)}`, insn.text, `mask ${maskText(t, i, k.width)} (${t.threads[i]} threads)`];
    }

    listen() {
        const row = e => Math.floor((e.offsetY - axisHeight) / this.rowHeight);
        let drag = null;
        this.canvas.addEventListener("pointerdown", e => {
            drag = { x: e.offsetX, first: this.view.window.first, moved: false };
            this.canvas.setPointerCapture(e.pointerId);
        });
        this.canvas.addEventListener("pointermove", e => {
            if (drag) {
                const span = this.view.window.last - this.view.window.first, by = (e.offsetX - drag.x) / this.plotWidth * span;
                drag.moved ||= Math.abs(e.offsetX - drag.x) > 3;
                if (drag.moved) this.view.show(drag.first - by, drag.first - by + span);
            } else if (row(e) >= 0 && row(e) < this.strip.rows && e.offsetX >= left) showTip(e, this.describe(Math.floor(this.cycleAt(e.offsetX)), row(e)));
            else hideTip();
        });
        this.canvas.addEventListener("pointerup", e => {
            if (drag && !drag.moved) this.view.setCursor(Math.floor(this.cycleAt(e.offsetX)));
            drag = null;
        });
        this.canvas.addEventListener("pointerleave", hideTip);
        this.canvas.addEventListener("wheel", e => {
            e.preventDefault();
            if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.view.pan(e.deltaX / this.plotWidth);
            else this.view.zoom(2 ** (e.deltaY / 300), this.cycleAt(e.offsetX));
        }, { passive: false });
        this.canvas.addEventListener("keydown", e => this.view.key(e, this));
    }

    // Paragraphs of the state, those that changed in the cursor's cycle with a mark.
    drawState() {
        const { cursor } = this.view.window, list = this.trace.stateAt(this.sm, cursor), lines = [];
        for (let port = 0; port < this.trace.ports; port++) lines.push(this.describe(cursor, port * this.kernel.width).slice(0, 4).join("; ").replace(/, lane 0/, ""));
        this.state.replaceChildren(h("p", { class: "note" }, `Cycle ${formats.whole(cursor)} under ${this.kernel.mechanism}, multiprocessor ${this.sm}`), ...lines.map(l => h("p", { class: "code" }, l)),
            h("div", { class: "paragraphs" }, list.map(p => h("pre", { class: p.cycle === cursor ? "changed" : null }, p.text))),
            list.length ? "" : h("p", { class: "note" }, "The trace has no state before this cycle."));
    }

    // The window as SVG: a mark per run of lanes, or, where there are too many issues for that, the canvas as it is.
    svgText() {
        const t = this.trace, { first, last } = this.view.window, [from, to] = t.issuesIn(this.sm, first, last), c = ink();
        const wide = this.canvas.clientWidth, tall = this.canvas.clientHeight, marks = [];
        if (to - from > 20000) marks.push(`<image width="${wide}" height="${tall}" href="${this.canvas.toDataURL()}"/>`);
        else for (let i = from; i < to; i++) {
            if (this.strand !== null && t.strand[i] !== this.strand) continue;
            const x = Math.max(left, this.xOf(t.cycle[i])), width = this.xOf(t.cycle[i] + t.cycles[i]) - x, top = axisHeight + t.port[i] * this.kernel.width * this.rowHeight;
            for (let lane = 0, start = 0; lane < this.kernel.width; lane++) {
                if (lane + 1 < this.kernel.width && this.strip.hasLane(i, lane) === this.strip.hasLane(i, lane + 1)) continue;
                const fill = this.strip.hasLane(i, lane) ? hue(this.blockOf[t.pc[i]]) : isDark() ? "#38362f" : "#e6e2d6";
                marks.push(`<rect x="${x.toFixed(2)}" y="${top + start * this.rowHeight}" width="${width.toFixed(2)}" height="${(lane + 1 - start) * this.rowHeight}" fill="${fill}"/>`);
                start = lane + 1;
            }
        }
        for (let k = 0; k <= 8; k++) {
            const cycle = first + (last - first) * k / 8;
            marks.push(`<text x="${this.xOf(cycle).toFixed(1)}" y="14" font-size="11" fill="${c.soft}" text-anchor="${k === 8 ? "end" : "start"}">${formats.whole(Math.round(cycle))}</text>`);
        }
        return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${tall}" width="${wide}" height="${tall}" font-family="${font.replaceAll('"', "'")}"><rect width="${wide}" height="${tall}" fill="${c.paper}"/>${marks.join("")}</svg>`;
    }

    issues() {
        const t = this.trace, k = this.kernel, { first, last } = this.view.window, [from, to] = t.issuesIn(this.sm, first, last), rows = [];
        for (let i = from; i < to && rows.length < 200000; i++)
            if (this.strand === null || t.strand[i] === this.strand) rows.push([t.cycle[i], t.cycles[i], t.port[i], t.strand[i], t.pc[i], k.block(t.pc[i]).name, maskText(t, i, k.width), t.threads[i], k.where(t.pc[i])]);
        return rows;
    }
}

export function lanesView(page) {
    const choice = page.choice ??= new Choice(page), box = h("div", { class: "view" });
    const view = { window: null, panels: [], pending: false };

    view.redraw = () => {
        if (view.pending) return;
        view.pending = true;
        requestAnimationFrame(() => {
            view.pending = false;
            view.panels.forEach(p => p.draw());
            const { first, last } = view.window;
            view.fields?.forEach(([field, value]) => { if (document.activeElement !== field) field.value = value === "first" ? Math.round(first) : Math.round(last); });
        });
    };
    view.end = () => Math.max(1, ...view.panels.map(p => p.strip.last));
    view.show = (first, last) => {
        const span = Math.max(4, Math.min(last - first, view.end() * 1.02)), from = Math.max(0, Math.min(first, view.end() + 0.02 * span - span));
        Object.assign(view.window, { first: from, last: from + span });
        view.redraw();
    };
    view.zoom = (by, about = (view.window.first + view.window.last) / 2) => view.show(about - (about - view.window.first) * by, about + (view.window.last - about) * by);
    view.pan = by => view.show(view.window.first + by * (view.window.last - view.window.first), view.window.last + by * (view.window.last - view.window.first));
    view.setCursor = cycle => {
        view.window.cursor = Math.max(0, Math.min(cycle, view.end()));
        const { first, last, cursor } = view.window;
        if (cursor < first || cursor > last) view.show(cursor - (last - first) / 2, cursor + (last - first) / 2);
        view.panels.forEach(p => p.drawState());
        view.redraw();
    };
    view.step = (direction, panel = view.panels[0]) => view.setCursor(panel.trace.step(panel.sm, view.window.cursor, direction));
    view.key = (e, panel) => {
        const direction = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
        if (direction && e.shiftKey) view.pan(0.2 * direction);
        else if (direction) view.step(direction, panel);
        else if (e.key === "+" || e.key === "=") view.zoom(0.5, view.window.cursor);
        else if (e.key === "-") view.zoom(2, view.window.cursor);
        else if (e.key === "Home") view.setCursor(0);
        else if (e.key === "End") view.setCursor(view.end());
        else return;
        e.preventDefault();
    };

    function windowControls() {
        const field = (label, which) => {
            const id = newId("cycle"), input = h("input", { id, type: "number", min: 0, size: 8, class: "cycle", onchange: e => view.show(which === "first" ? +e.target.value : view.window.first, which === "last" ? +e.target.value : view.window.last) });
            view.fields.push([input, which]);
            return h("span", { class: "field" }, h("label", { for: id }, label), input);
        };
        view.fields = [];
        return [field("Cycles", "first"), field("to", "last"), button("Zoom in", () => view.zoom(0.5)), button("Zoom out", () => view.zoom(2)), button("All", () => view.show(0, view.end())),
            button("Step back", () => view.step(-1)), button("Step forward", () => view.step(1))];
    }

    function panelControls(panel) {
        const { trace } = panel, changed = () => { panel.setStrip(); panel.drawState(); view.redraw(); };
        const [first, end] = trace.ranges.get(panel.sm) ?? [0, 0], strands = [...new Set(trace.strand.subarray(first, Math.min(end, first + 200000)))].sort((a, b) => a - b);
        return [trace.sms.length > 1 && select("Multiprocessor", trace.sms.map(s => [String(s), String(s)]), String(panel.sm), v => { panel.sm = +v; panel.strand = null; changed(); }),
            select("Warp (strand)", [["", "all"], ...strands.map(s => [String(s), String(s)])], "", v => { panel.strand = v === "" ? null : +v; changed(); })];
    }

    function legendOf(kernel) {
        const used = new Set(kernel.counters.issues.flatMap((n, pc) => n ? [kernel.program.instructions[pc].block] : []));
        return h("ul", { class: "legend" }, kernel.program.blocks.map((b, i) => used.has(i) && h("li", null, h("span", { class: "swatch", style: `background:${hue(i)}` }), `${b.name} ${kernel.where(b.first)}`)));
    }

    function make() {
        const kernels = choice.shown().filter(k => k.trace), isNew = view.key0 !== choice.key;
        view.panels = kernels.map(k => new Panel(view, k));
        view.key0 = choice.key;
        if (!view.window || isNew) view.window = { first: 0, last: Math.min(view.end(), 1000), cursor: view.panels[0]?.trace.cycle[view.panels[0].trace.ranges.get(view.panels[0].sm)?.[0] ?? 0] ?? 0 };
        box.replaceChildren(...view.panels.map((p, i) => figure({
            title: `${p.kernel.name}, lanes by time under ${p.kernel.label}`,
            note: `${formats.whole(p.trace.count)} issues of launch ${p.kernel.launch} are traced${p.trace.dropped ? `, and ${formats.whole(p.trace.dropped)} later events are not` : ""}. A colour is a block, pale a lane that an issue holds without a thread, blank an idle lane. Drag pans, the wheel zooms, a click sets the cursor; the keys are arrows, plus and minus.`,
            controls: [...i === 0 ? kernelChoosers(choice, () => { make(); }) : [], ...panelControls(p), ...i === 0 ? windowControls() : []],
            body: h("div", null, p.canvas, legendOf(p.kernel), p.state), picture: () => p.canvas,
            svgText: () => p.svgText(),
            rows: () => [["cycle", "cycles", "port", "strand", "pc", "block", "mask", "threads", "where"], ...p.issues()], command: p.kernel.command,
        })));
        view.panels.forEach(p => { p.drawState(); new ResizeObserver(() => view.redraw()).observe(p.canvas); });
        view.redraw();
    }
    make();
    onTheme(view.redraw);
    box.refresh = () => { if (view.panels.map(p => p.kernel).join() !== choice.shown().join() || view.key0 !== choice.key) make(); };
    globalThis.heddleLanes = view; // for tests, and for readers with a console
    return box;
}
