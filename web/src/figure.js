// Figures: a card with a title, a picture or table, and what saves it as SVG, PNG and CSV. A figure names the command
// that gives its numbers.
import { button, h, newId } from "./dom.js";
import { csv } from "./format.js";
import { ink } from "./theme.js";

function download(name, type, content) {
    const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    const link = h("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const fileName = title => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

// The picture as a document of its own, on the colour of the page.
function documentOf(picture) {
    const copy = picture.cloneNode(true), [, , width, height] = picture.getAttribute("viewBox").split(" ");
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ width, height, fill: ink().paper })) paper.setAttribute(name, value);
    copy.insertBefore(paper, copy.firstChild);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    return { text: new XMLSerializer().serializeToString(copy), width: +width, height: +height };
}

function savePng(name, picture) {
    if (picture instanceof HTMLCanvasElement) {
        picture.toBlob(blob => download(name, "image/png", blob));
        return;
    }
    const { text, width, height } = documentOf(picture), image = new Image();
    image.onload = () => {
        const canvas = h("canvas", { width: 2 * width, height: 2 * height });
        canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
        canvas.toBlob(blob => download(name, "image/png", blob));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

// { title, note, command, controls, body, picture(), rows(), svgText() }: picture() is the SVG element or canvas that is
// saved; rows() are the figure's numbers, a heading first; svgText() draws a canvas as SVG. Each may be left out.
export function figure(about) {
    const id = newId("figure"), name = fileName(about.title), saves = [];
    if (about.picture) {
        saves.push(button("SVG", () => download(`${name}.svg`, "image/svg+xml",
            about.svgText ? about.svgText() : documentOf(about.picture()).text), { "aria-label": `Save as SVG: ${about.title}` }));
        saves.push(button("PNG", () => savePng(`${name}.png`, about.picture()), { "aria-label": `Save as PNG: ${about.title}` }));
    }
    if (about.rows)
        saves.push(button("CSV", () => download(`${name}.csv`, "text/csv", csv(about.rows())), { "aria-label": `Save as CSV: ${about.title}` }));
    return h("section", { class: "card", "aria-labelledby": id },
        h("header", null, h("h2", { id }, about.title), saves.length > 0 && h("div", { class: "saves" }, saves)),
        about.note && h("p", { class: "note" }, about.note),
        about.controls && h("div", { class: "controls" }, about.controls),
        about.body,
        about.command && h("details", { class: "command" }, h("summary", null, "Command that gives these numbers"),
            h("pre", { tabindex: 0 }, about.command)));
}
