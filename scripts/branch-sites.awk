# Prints where a kernel's source branches, one "LINE:COLUMN" per branch, from LLVM IR that clang made without
# optimisation, with names of values (-fno-discard-value-names), line numbers, and all functions inlined. Behind the
# branch of a loop stands the word loop, or guarded if it is not known that the loop has a first round.
#
# The branches of a source, as compilers of 2009 to 2012 kept them: each if, each loop and each switch is one, and a
# guarded loop has a second branch before its first round. An operand of && or || has a branch of its own only if the
# operand reads memory or calls a function with branches; ?: is a selection; and a loop with a small constant number of
# rounds is unrolled, unless a pragma forbids that.

/^![0-9]+ = !DILocation/ {
    match($0, /line: [0-9]+/); line = substr($0, RSTART + 6, RLENGTH - 6)
    match($0, /column: [0-9]+/); column = substr($0, RSTART + 8, RLENGTH - 8)
    match($0, /scope: ![0-9]+/); scope_of[$1] = substr($0, RSTART + 7, RLENGTH - 7)
    place[$1] = line ":" column
}
/^![0-9]+ = (distinct )?!DI(Subprogram|LexicalBlock)/ {
    match($0, /file: ![0-9]+/); file_of[$1] = substr($0, RSTART + 6, RLENGTH - 6)
}
/^![0-9]+ = !DIFile/ { is_kernel_file[$1] = /kernels\.cu"/ }
/^![0-9]+ = distinct !\{/ { loop_has[$1] = $0 }
/^![0-9]+ = !\{!"llvm.loop.unroll.count", i32 1\}/ { no_unroll = $1 }
/^define/ { block = "entry"; in_function = 1 }
/^}/ { in_function = 0 }
!in_function { next }
/^[A-Za-z0-9_.]+:/ { block = $1; sub(/:$/, "", block) }
/ = phi / { phi[$1] = / \[ -?[0-9]+, %/ }
/ = icmp / { compared[$1] = $6; with[$1] = $7; sub(/,$/, "", compared[$1]); sub(/,$/, "", with[$1]) }
/ = load / && !/addrspace\(4\)|@[a-z_]+_(scene|input),/ { reads[block] = 1 }
/^ +br label/ {
    jumps[block] = $3; sub(/^%/, "", jumps[block]); sub(/,$/, "", jumps[block])
    if (/!llvm.loop/) back_to[jumps[block]] = $NF
}
/^ +switch / { branches++; from[branches] = block }
/^ +\], !dbg/ { at[branches] = $3 }
/^ +br i1/ {
    branches++
    condition[branches] = $3; sub(/,$/, "", condition[branches])
    first[branches] = $5; gsub(/[%,]/, "", first[branches])
    second[branches] = $7; gsub(/[%,]/, "", second[branches])
    for (i = 8; i < NF; i++)
        if ($i == "!dbg")
            at[branches] = $(i + 1)
    sub(/,$/, "", at[branches])
    from[branches] = block
}

# The right operand of && or || that a branch leads to; "" if it leads to none.
function operand_after(b)
{
    if (first[b] ~ /^(land|lor)\.(rhs|lhs)/)
        return first[b]
    return second[b] ~ /^(land|lor)\.(rhs|lhs)/ ? second[b] : ""
}

# The operand is more than comparisons of values at hand.
function needs_branch(operand)
{
    return reads[operand] || calls[operand] || operand in jumps && jumps[operand] !~ /^(land|lor)\.end/
}

# The loop's counter begins at a constant and ends at one.
function is_counted(b,    c)
{
    c = condition[b]
    return from[b] ~ /^for\.cond/ && c in compared && with[c] ~ /^-?[0-9]+$/ && phi[compared[c]]
}

# No pragma forbids to unroll the loop.
function is_unrolled(b)
{
    if (!is_counted(b))
        return 0
    return !no_unroll || index(loop_has[back_to[from[b]]], no_unroll) == 0
}

function is_ours(b)
{
    return at[b] in place && is_kernel_file[file_of[scope_of[at[b]]]]
}

END {
    for (b = 1; b <= branches; b++) {
        sub(/,$/, "", at[b])
        if (!is_ours(b))
            calls[from[b]] = 1 # a function of the library begins there
    }
    for (b = 1; b <= branches; b++) {
        operand = operand_after(b)
        if (operand != "" ? !needs_branch(operand) : first[b] ~ /^cond\./ || is_unrolled(b))
            continue
        if (is_ours(b) && !(place[at[b]] in printed)) {
            printed[place[at[b]]] = 1
            kind = first[b] !~ /^(for|while)\.body/ ? "" : is_counted(b) ? " loop" : " guarded"
            print place[at[b]] kind
        }
    }
}
