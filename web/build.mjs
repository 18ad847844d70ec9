// Bundles web/src into web/dist: report.js and report.css, which heddle embeds into every page. With --check, compares
// instead of writing, and fails if the committed bundle is not what the sources give.
import { build } from "esbuild";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = path => fileURLToPath(new URL(path, import.meta.url));
const options = { bundle: true, minify: true, write: false, charset: "ascii", target: "es2020", legalComments: "none" };
const made = {
    "dist/report.js": await build({ ...options, entryPoints: [at("src/main.js")], format: "iife" }),
    "dist/report.css": await build({ ...options, entryPoints: [at("src/style.css")] }),
};
let differs = false;
mkdirSync(at("dist"), { recursive: true });
for (const [path, result] of Object.entries(made)) {
    const text = result.outputFiles[0].text;
    if (/<\/(script|style)/i.test(text)) throw new Error(`${path} would end its element in the page`);
    if (!process.argv.includes("--check")) {
        writeFileSync(at(path), text);
        console.log(`${path}: ${text.length} bytes`);
    } else if (readFileSync(at(path), "utf8") !== text) {
        console.log(`web/${path} is not what web/src gives: run make web`);
        differs = true;
    }
}
process.exitCode = differs ? 1 : 0;
