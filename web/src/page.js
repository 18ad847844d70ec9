// The data of a page, as src/page/page.h describes it.
import { Kernel } from "./kernels.js";
import { decodeText } from "./packed.js";
import { Runs } from "./runs.js";

export function readPage(json) {
    if (json.format !== 1) throw new Error(`this page has data of format ${json.format}, which its script cannot read`);
    const page = {
        title: decodeText(json.title),
        command: decodeText(json.command),
        version: json.version,
        runs: new Runs(json.runs),
        claims: json.claims,
        published: json.published.map(p => ({ ...p, programs: p.programs.map(decodeText), group: decodeText(p.group), source: decodeText(p.source) })),
        programs: json.programs,
        sources: json.sources,
    };
    // Without its program, which only the first launch of a process has, a launch cannot be shown.
    page.kernels = json.details.filter(d => json.programs[d.of.hash]).map(d => new Kernel(page, d));
    return page;
}
