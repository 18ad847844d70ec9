// Controls that choose the kernel and one or two of its runs.
import { select } from "./dom.js";
import { shortName } from "./format.js";

export function kernelChoosers(choice, changed) {
    const runs = choice.same(), label = key => {
        const [target, name] = key.split("\n");
        return `${shortName(target)}: ${name}`;
    };
    const find = value => runs.find(k => String(k.run) === value) ?? null;
    return [
        choice.keys.length > 1 && select("Kernel", choice.keys.map(k => [k, label(k)]), choice.key, v => { choice.setKey(v); changed(); }),
        runs.length > 1 && select("Run", runs.map(k => [String(k.run), k.label]), String(choice.first.run), v => { choice.first = find(v); changed(); }),
        runs.length > 1 && select("Beside it", [["", "nothing"], ...runs.map(k => [String(k.run), k.label])],
            choice.second ? String(choice.second.run) : "", v => { choice.second = find(v); changed(); }),
    ];
}
