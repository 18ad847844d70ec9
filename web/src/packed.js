// Packed values: columns of numbers and texts as src/base/pack.h writes them.

function base64Bytes(text) {
    const binary = atob(text), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

// One LZ4 block.
export function lz4(from, length) {
    const to = new Uint8Array(length);
    let at = 0, end = 0;
    const more = () => {
        let sum = 0, byte;
        do sum += byte = from[at++];
        while (byte === 255);
        return sum;
    };
    while (at < from.length) {
        const token = from[at++];
        let literals = token >> 4;
        if (literals === 15) literals += more();
        to.set(from.subarray(at, at + literals), end);
        at += literals;
        end += literals;
        if (at >= from.length) break;
        const offset = from[at] | from[at + 1] << 8;
        at += 2;
        let match = (token & 15) + 4;
        if (match === 19) match += more();
        if (offset === 0 || offset > end) throw new Error("the data of this page is damaged");
        if (offset === 1) to.fill(to[end - 1], end, end + match);
        else if (offset >= match) to.copyWithin(end, end - offset, end - offset + match);
        else for (let i = 0; i < match; i++) to[end + i] = to[end + i - offset];
        end += match;
    }
    if (end !== length) throw new Error("the data of this page is damaged");
    return to;
}

function wholes(bytes, count) {
    const numbers = new Float64Array(count);
    let at = 0, last = 0;
    for (let i = 0; i < count; i++) {
        let byte = bytes[at++], code = byte & 127, unit = 128;
        while (byte > 127) {
            byte = bytes[at++];
            code += (byte & 127) * unit;
            unit *= 128;
        }
        if (code === 0) {
            numbers[i] = NaN;
            continue;
        }
        code -= 1;
        last += code % 2 ? -(code + 1) / 2 : code / 2;
        numbers[i] = last;
    }
    return numbers;
}

function reals(bytes, count) {
    const straight = new Uint8Array(bytes.length);
    for (let byte = 0; byte < 8; byte++)
        for (let i = 0; i < count; i++) straight[8 * i + byte] = bytes[byte * count + i];
    const view = new DataView(straight.buffer);
    return Float64Array.from({ length: count }, (_, i) => view.getFloat64(8 * i, true));
}

const unpackBytes = packed => lz4(base64Bytes(packed.lz4), packed.bytes);

export function unpackNumbers(packed) {
    const bytes = unpackBytes(packed);
    return packed.kind === "whole" ? wholes(bytes, packed.n) : reals(bytes, packed.n);
}

export const unpackText = packed => new TextDecoder().decode(unpackBytes(packed));

// heddle escapes bytes above ASCII one by one; this makes the UTF-8 text of them again.
export function decodeText(text) {
    if (text === null || text === undefined || !/[\x80-\xff]/.test(text)) return text;
    return new TextDecoder().decode(Uint8Array.from(text, c => c.charCodeAt(0)));
}
