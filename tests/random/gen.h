/*
 * The state of one generation: the program's plan, the function being written, and the vocabulary that all
 * writers share (registers, labels, instructions, budgets).
 *
 * Registers come in two sorts. *Live* ones (%r0, %d1, %p2 ...) are the program's variables: all are
 * initialised at the top of their function, so any statement may read or write any of them on any path.
 * *Temporaries* (%tr7 ...) and counters (%c3) belong to the statement that asked for them: it writes them in
 * straight line before their uses, or before the loop that counts with them, and no other statement does.
 */
#ifndef HEDDLE_TESTS_RANDOM_GEN_H
#define HEDDLE_TESTS_RANDOM_GEN_H

#include "draft.h"
#include "generate.h"
#include "rng.h"

enum kind { KIND_R, KIND_D, KIND_H, KIND_F, KIND_G, KIND_P, KINDS }; /* b32 b64 b16 f32 f64 pred */

enum { MAX_LOOPS = 4, MAX_TAILS = 2, MAX_DEPTH = 5, MAX_FUNCTIONS = 6, MAX_SKIPS = 6 };

enum {
    TABLE_BYTES = 256,  /* of the .const and the .global table */
    LOCAL_BYTES = 64,   /* of the kernel's .local array; functions' are half as large */
    SLOT_BYTES = 8,     /* a thread's shared memory: an exchange word and a private word */
    POINTER_BYTES = 16, /* what a function may touch through its pointer parameter */
    RESULT_BYTES = 16,  /* of an aggregate result */
    MAX_WORDS = 4,      /* 32-bit arguments of a function */
    SHARED_ATOMICS = 4, /* words of the block's accumulator */
    MIN_SLOTS = 4,      /* output words a thread */
    NIL_WORDS = 32,     /* of the table of zeros that nobody writes */
    ROW_THREADS = 32,   /* threads of a row */
    MAX_ROWS = 8,       /* of a block */
};

struct name {
    char s[32];
};

/* Where break and continue go. Labels are numbers; gen_target() gives their names. */
struct loop {
    int break_label, continue_label;
};

/* A label in block-uniform code further on, which divergent code may jump to under a condition that never
 * holds. */
struct skip {
    int label;
    bool is_used;
    unsigned due; /* phases until it is placed */
};

enum result { RESULT_NONE, RESULT_WORD, RESULT_WIDE, RESULT_AGGREGATE };

struct function {
    int id;
    int words;      /* 32-bit arguments; the first is the depth when `recursive` */
    bool aggregate; /* the words travel in one array parameter */
    bool wide;      /* a 64-bit argument */
    bool pointer;   /* a generic pointer to POINTER_BYTES of the calling thread's own memory */
    enum result result;
    bool visible; /* .visible in the text */
    bool recursive;
    unsigned max_depth; /* largest first argument a recursive function accepts */
    int partner;        /* the function it recurses into: itself or its mate */
    bool exits;         /* some threads end inside */
    uint64_t cost;      /* no call executes more instructions than this, callees included */
};

/* A function or the kernel while it is being written. */
struct scope {
    struct draft body;
    struct draft cold;               /* blocks laid out behind the final return */
    const struct function *function; /* NULL in the kernel */
    int live[KINDS], temporaries[KINDS], counters;
    struct loop loop[MAX_LOOPS]; /* enclosing ones, outermost first */
    int loops;
    int tail[MAX_TAILS]; /* labels of blocks at the segment's end that any statement of it may jump to */
    int tails;
    bool tail_used[MAX_TAILS];
    struct skip skip[MAX_SKIPS]; /* the earlier ones are placed later */
    int skips;
    int end, last_work, last_stores; /* labels at the scope's end for early ends to jump to; 0: none did */
    int common_return;               /* label of the function's last return; 0: nobody jumps to it */
    bool is_ending;                  /* those labels lie behind: threads end where they are */
    int depth;                       /* of nested control statements */
    uint64_t times;                  /* no activation runs the place being written more often than this */
    uint64_t spent;                  /* dynamic instructions of an activation, bound; callees included */
    uint64_t limit;                  /* that `spent` should stay below */
    bool exits;                      /* threads may end here; then no row operations and no plain exchange writes */
    int local_bytes;                 /* of the .local array; 0: none */
};

/* Chosen once per program. A program uses some of the vocabulary only, so that rare mixtures come up. */
struct plan {
    unsigned control_percent, memory_percent, guard_percent;
    unsigned weight_if, weight_loop, weight_switch, weight_tangle, weight_jump, weight_call;
    bool wide, half, float32, float64; /* kinds of variables */
    bool tab, constant, global, local, shared, atomics, row_ops, special;
    bool keepers;     /* the first thread of a row never ends early, so that counts of barriers stay true */
    bool thins;       /* threads end at block-uniform places too, from which on %mask names those left of the row */
    bool meets_often; /* little divergent code between the phases of block-uniform code */
    bool meets;       /* there is a function with barriers in it */
    bool interleaved; /* output words of a thread lie `threads` words apart, not side by side */
    unsigned slots;   /* output words per thread, a power of two */
    unsigned threads_per_block, blocks, threads;
    unsigned in_bytes, tab_bytes; /* powers of two */
    const char *label_prefix;
};

struct gen {
    struct rng rng;
    struct plan plan;
    struct random_profile *profile;
    struct scope *scope;
    struct function function[MAX_FUNCTIONS];
    int functions; /* complete ones: these can be called */
    int labels;
    int lists;                      /* .branchtargets and .callprototype names given out */
    int static_left;                /* instructions still to be written */
    struct random_texture *texture; /* texture.h; and surfaces */
    int textures;
};

/* instructions and labels: gen_op() writes an instruction and accounts for it, gen_line() other text */
void gen_line(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_op(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
int gen_label(struct gen *g);
void gen_place(struct gen *g, int label);
struct name gen_target(const struct gen *g, int label);
void gen_count(struct gen *g, enum random_construct construct);

/* names */
struct name name_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct name gen_live(enum kind kind, int index);
struct name gen_temporary(struct gen *g, enum kind kind);
struct name gen_counter(struct gen *g);
struct name gen_dest(struct gen *g, enum kind kind);   /* a live register to write */
struct name gen_source(struct gen *g, enum kind kind); /* a register to read */
struct name gen_immediate(struct gen *g, enum kind kind);
struct name gen_operand(struct gen *g, enum kind kind); /* register or immediate */
struct name gen_word(struct gen *g);                    /* a 32-bit register with well-mixed low bits */
struct name gen_guard(struct gen *g);                   /* "", "@%p1 " or "@!%p1 " */
bool gen_has(const struct gen *g, enum kind kind);

/* budgets: is there room here for a statement of that size; a trip bound for a loop of it, below 2: no loop
 */
struct budget {
    int instructions; /* in the text */
    uint64_t dynamic;
};
struct budget gen_keep_back(struct gen *g); /* hides a part of the budgets, so that later code finds some */
void gen_release(struct gen *g, struct budget kept);
bool gen_room(const struct gen *g, unsigned instructions);
unsigned gen_trips(struct gen *g, unsigned instructions);

/* declarations of the scope's registers, to stand before its body */
void gen_declare(const struct scope *scope, struct draft *to);

/* early.c: how threads end before their kernel does */
enum { EARLY_NEVER = 1, EARLY_ALONE = 2 }; /* at run time none does; with no other statements around it */
void early_end(struct gen *g, const char *predicate, unsigned how); /* predicate: of those that end; NULL: all */
void early_end_exactly(struct gen *g, const char *predicate);       /* these, whatever the scope allows */
struct name early_rare(struct gen *g);                              /* a predicate that holds for few threads */
struct name early_never(struct gen *g); /* one that holds for none, which only the memory knows */
void early_spare_keeper(struct gen *g, struct name *predicate); /* takes the keepers from it, if the plan has some */
void early_skip(struct gen *g);                                 /* a jump that nobody takes to a label of `skip` */
void early_place_stores(struct gen *g);                         /* the labels' places in a kernel or function ... */
void early_place_end(struct gen *g);                            /* ... before its last stores, and before its end */

/* expr.c */
void expr_statement(struct gen *g);
/* video.c */
void video_statement(struct gen *g);
void expr_mark(struct gen *g);
struct name expr_condition(struct gen *g); /* a predicate that differs between threads, mostly */
struct name expr_fold(struct gen *g);      /* all live variables in one 32-bit register */
/* the float with any NaN replaced */
struct name expr_clean(struct gen *g, enum kind kind, const char *value);

/* ldst.c */
void ldst_statement(struct gen *g);
void ldst_store(struct gen *g); /* to the thread's own output, or what the scope has in its place */
void ldst_fill_local(struct gen *g);

/* control.c */
void control_statement(struct gen *g);
void control_list(struct gen *g, unsigned statements);     /* statements, while there is room */
void control_arm(struct gen *g);                           /* a nested list that may end in a jump */
void control_branch(struct gen *g, int label, bool sense); /* to label if a fresh condition is `sense` */
void control_segment(struct gen *g, unsigned statements);  /* a list with shared tails behind it */
void control_jump(struct gen *g, const char *predicate);   /* out of something: a loop, the segment, the kernel */

/* switch.c */
void switch_statement(struct gen *g);

/* tangle.c */
void tangle_statement(struct gen *g);

/* function.c */
void function_write(struct gen *g, struct draft *to);       /* one or two functions more */
void function_return(struct gen *g, const char *predicate); /* of these threads; NULL: of all that come */
bool function_call(struct gen *g);                          /* false if none can be called here */

#endif
