// The data of a page, as src/page/page.h describes it.
import { decodeText } from "./packed.js";
import { Runs } from "./runs.js";

export function readPage(json) {
    if (json.format !== 1) throw new Error(`this page has data of format ${json.format}, which its script cannot read`);
    return {
        title: decodeText(json.title),
        command: decodeText(json.command),
        version: json.version,
        runs: new Runs(json.runs),
        claims: json.claims,
    };
}
