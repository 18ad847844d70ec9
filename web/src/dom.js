// Elements of HTML and SVG.

function build(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false));
    return element;
}

export const h = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
    build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

let ids = 0;
export const newId = prefix => `${prefix}-${++ids}`;

// A labelled choice. `options`: [value, label] pairs.
export function select(label, options, value, onchange) {
    const id = newId("select");
    const box = h("select", { id, onchange: e => onchange(e.target.value) },
        options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)));
    return h("span", { class: "field" }, h("label", { for: id }, label), box);
}

export const button = (text, onclick, attributes) => h("button", { type: "button", onclick, ...attributes }, text);
