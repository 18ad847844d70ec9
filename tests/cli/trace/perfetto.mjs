// Holds a timeline to the rules of the Trace Event Format, which Perfetto and chrome://tracing read: perfetto.mjs FILE.
// The rules are those of the format's definition ("Trace Event Format", docs.google.com/document/d/1CvAClvFfyA5R-
// PhYUmn5OOQtYMH4h6I0nSsKchNAySU) and of Perfetto's page on it (docs/getting-started/other-formats.md): which members an
// event of each phase has, that slices of a thread nest, that asynchronous spans begin before they end, that counters are
// numbers, and that colours are among the reserved names.
import {readFileSync} from 'node:fs';

const colours = new Set(['thread_state_uninterruptible', 'thread_state_iowait', 'thread_state_running',
    'thread_state_runnable', 'thread_state_sleeping', 'thread_state_unknown', 'background_memory_dump',
    'light_memory_dump', 'detailed_memory_dump', 'vsync_highlight_color', 'generic_work', 'good', 'bad', 'terrible',
    'black', 'grey', 'white', 'yellow', 'olive', 'rail_response', 'rail_animation', 'rail_idle', 'rail_load', 'startup',
    'heap_dump_stack_frame', 'heap_dump_object_type', 'heap_dump_child_node_arrow', 'cq_build_running',
    'cq_build_passed', 'cq_build_failed', 'cq_build_abandoned', 'cq_build_attempt_runnig', 'cq_build_attempt_passed',
    'cq_build_attempt_failed']);
const isCount = value => Number.isInteger(value) && value >= 0;
const isText = value => typeof value === 'string' && value.length > 0;
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const all = {ph: isText, pid: isCount, tid: isCount, name: isText};
const timed = {...all, ts: isCount};
// By phase: members that must be there, and members that may be.
const phases = {
    X: [{...timed, dur: isCount}, {cat: isText, cname: value => colours.has(value), args: isObject}],
    i: [{...timed, s: value => ['g', 'p', 't'].includes(value)}, {cat: isText, args: isObject}],
    b: [{...timed, cat: isText, id: value => isCount(value) || isText(value)}, {args: isObject}],
    e: [{...timed, cat: isText, id: value => isCount(value) || isText(value)}, {args: isObject}],
    C: [{...timed, args: value => isObject(value) && Object.keys(value).length > 0 &&
        Object.values(value).every(Number.isFinite)}, {cat: isText, id: isText}],
    M: [{...all, args: isObject}, {ts: isCount}],
};
const metadata = {process_name: 'name', thread_name: 'name', process_labels: 'labels', process_sort_index: 'sort_index',
    thread_sort_index: 'sort_index'};

const wrong = [];
const say = (event, what) => wrong.length < 10 && wrong.push(`${what}: ${JSON.stringify(event)}`);

function checkMembers(event) {
    const [needed, possible] = phases[event.ph] ?? [];
    if (!needed)
        return say(event, 'unknown phase');
    for (const [name, holds] of Object.entries(needed))
        if (!holds(event[name]))
            say(event, `${name} is missing or wrong`);
    for (const name of Object.keys(event))
        if (!(name in needed) && !(name in possible))
            say(event, `${name} is no member of phase ${event.ph}`);
        else if (name in possible && !possible[name](event[name]))
            say(event, `${name} is wrong`);
    if (event.ph === 'M' && !(metadata[event.name] in event.args))
        say(event, 'unknown metadata');
}

// Slices of a thread nest. Of two that begin together, the outer one stands first in the file.
function checkNesting(events) {
    const threads = new Map();
    for (const event of events.filter(({ph}) => ph === 'X')) {
        const key = `${event.pid} ${event.tid}`;
        if (!threads.has(key))
            threads.set(key, []);
        threads.get(key).push(event);
    }
    for (const slices of threads.values()) {
        const open = [];
        slices.sort((a, b) => a.ts - b.ts); // stable
        for (const slice of slices) {
            while (open.length && open.at(-1).ts + open.at(-1).dur <= slice.ts)
                open.pop();
            if (open.length && slice.ts + slice.dur > open.at(-1).ts + open.at(-1).dur)
                say(slice, `overlaps ${JSON.stringify(open.at(-1))}`);
            open.push(slice);
        }
    }
}

function checkSpans(events) {
    const open = new Map();
    for (const event of events.filter(({ph}) => ph === 'b' || ph === 'e')) {
        const key = `${event.pid} ${event.cat} ${event.id}`;
        if (event.ph === 'b') {
            if (open.has(key))
                say(event, 'begins again');
            open.set(key, event.ts);
        } else if (!(open.get(key) <= event.ts)) {
            say(event, 'ends without a beginning');
        } else {
            open.delete(key);
        }
    }
}

const trace = JSON.parse(readFileSync(process.argv[2], 'utf8'));
if (!Array.isArray(trace.traceEvents) || !['ns', 'ms'].includes(trace.displayTimeUnit))
    wrong.push('traceEvents or displayTimeUnit is missing');
trace.traceEvents.forEach(checkMembers);
checkNesting(trace.traceEvents);
checkSpans(trace.traceEvents);
const named = new Set(trace.traceEvents.filter(({name}) => name === 'thread_name').map(({pid, tid}) => `${pid} ${tid}`));
for (const event of trace.traceEvents)
    if ('Xi'.includes(event.ph) && !named.has(`${event.pid} ${event.tid}`))
        say(event, 'its thread has no name');
// What heddle promises beside: the three counters of every multiprocessor that issues, and blocks with mask and lines.
for (const pid of new Set(trace.traceEvents.filter(({ph, args}) => ph === 'X' && args?.pc >= 0).map(({pid}) => pid)))
    for (const name of ['IPC', 'active lanes', 'outstanding misses'])
        if (!trace.traceEvents.some(event => event.ph === 'C' && event.pid === pid && event.name === name))
            wrong.push(`multiprocessor ${pid} has no counter ${name}`);
for (const event of trace.traceEvents.filter(({cat}) => cat === 'basic block')) {
    const mask = event.args.lanes.replace(/1/g, '#').replace(/0/g, '.');
    if (event.name !== `${event.args.block} ${mask}` || !isText(event.args.lines) || !event.cname)
        say(event, 'block, mask, lines or colour is wrong');
}
wrong.forEach(line => console.log(line));
console.log(`${trace.traceEvents.length} events, ${wrong.length ? 'wrong' : 'right'}`);
process.exit(wrong.length ? 1 : 0);
