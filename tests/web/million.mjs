// Makes a page with a trace of a million issues: the page's own trace of multiprocessor 0, again and again.
// million.mjs PAGE OUT
import { readFileSync, writeFileSync } from "node:fs";
import { unpackNumbers } from "../../web/src/packed.js";

const [from, to] = process.argv.slice(2), html = readFileSync(from, "utf8"), wanted = 1e6;
const begin = html.indexOf('id="data">') + 10, end = html.indexOf("</script>", begin);
const page = JSON.parse(html.slice(begin, end)), trace = page.details[0].of.trace;

// Variable-length differences, as src/base/pack.h says, in an LZ4 block of literals alone.
function pack(numbers) {
    const bytes = [];
    let last = 0;
    for (const n of numbers) {
        let code = (n < last ? 2 * (last - n) - 1 : 2 * (n - last)) + 1;
        last = n;
        for (; code > 127; code = Math.floor(code / 128)) bytes.push(code % 128 | 128);
        bytes.push(code);
    }
    const head = bytes.length < 15 ? [bytes.length << 4] : [0xf0, ...Array(Math.floor((bytes.length - 15) / 255)).fill(255), (bytes.length - 15) % 255];
    const block = Buffer.alloc(head.length + bytes.length);
    block.set(head);
    block.set(bytes, head.length);
    return { n: numbers.length, kind: "whole", bytes: bytes.length, lz4: block.toString("base64") };
}

const columns = Object.fromEntries(Object.entries(trace.issues).map(([name, packed]) => [name, unpackNumbers(packed)]));
const own = columns.sm.findIndex(s => s > columns.sm[0]), count = own < 0 ? columns.sm.length : own;
const span = columns.cycle[count - 1] + 10;
for (const [name, values] of Object.entries(columns))
    trace.issues[name] = pack(Array.from({ length: wanted }, (_, i) => values[i % count] + (name === "cycle" ? span * Math.floor(i / count) : 0)));
writeFileSync(to, html.slice(0, begin) + JSON.stringify(page).replaceAll("<", "\\u003c") + html.slice(end));
