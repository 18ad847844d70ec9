/* Cases for single instructions: which family makes a row's, and the list of all. */
#include "op_case.h"

#include "base/diag.h"
#include "base/vec.h"
#include "emit.h"
#include "family.h"

#include <stdlib.h>

const struct family *family_of(enum op op)
{
    switch (op) {
    case OP_MOV:
    case OP_PACK:
    case OP_MOV_VECTOR:
    case OP_UNPACK:
    case OP_CVTA:
    case OP_CVTA_TO:
    case OP_ISSPACEP:
        return &family_move;
    case OP_LD:
    case OP_LDU:
    case OP_ST:
    case OP_PREFETCH:
    case OP_PREFETCHU:
    case OP_ATOM:
    case OP_ATOM_CAS:
    case OP_RED:
    case OP_ATOM_EXCH_B128:
    case OP_ATOM_HALF:
    case OP_RED_HALF:
    case OP_ATOM_VEC:
    case OP_RED_VEC:
    case OP_ATOM_VEC_HALF:
    case OP_RED_VEC_HALF:
        return &family_memory;
    case OP_ADD_X2 ... OP_MAX_RELU:
    case OP_VADD ... OP_VSET4:
    case OP_CVT_RELU ... OP_CVT_PACK_BELOW:
        return &family_packed;
    case OP_PREFETCH_TENSORMAP:
    case OP_CP_ASYNC ... OP_CTARANK:
        return &family_script;
    case OP_TEX ... OP_SURED_P_ANDOR:
        return &family_texture;
    default:
        break;
    }
    if (op_is_matrix(op))
        return &family_matrix;
    switch ((enum op_class)op_table[op].class) {
    case CLASS_BRANCH:
    case CLASS_BARRIER:
    case CLASS_FENCE:
    case CLASS_WARP:
        return &family_script;
    default:
        break;
    }
    switch (op) {
    case OP_PMEVENT:
    case OP_PMEVENT_MASK:
    case OP_POLICY_FRACTION:
    case OP_POLICY_RANGE:
    case OP_POLICY_CVT:
    case OP_APPLYPRIORITY:
    case OP_DISCARD:
    case OP_ST_BULK:
        return &family_script;
    default:
        return &family_compute;
    }
}

struct form_list form_list_all(void)
{
    struct form_list list = {0};
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        form_list_row((enum op)op, &list);
    return list;
}

void form_list_free(struct form_list *list)
{
    vec_free(list);
}

struct op_case *op_case_of_form(const struct form *form)
{
    const struct family *family = family_of(form->op);
    char variant[FAMILY_NAME_BYTES] = "";
    family->describe(form, variant);
    struct text name = {0};
    text_printf(&name, "%s/", op_table[form->op].id);
    form_print(form, &name);
    if (*variant)
        text_printf(&name, "+%s", variant);
    struct op_case *c = family->make(form, name.data);
    text_free(&name);
    return c;
}

int op_case_count(void)
{
    struct form_list list = form_list_all();
    const int count = list.count;
    form_list_free(&list);
    return count;
}

struct op_case *op_case_make(int index)
{
    struct form_list list = form_list_all();
    if (index < 0 || index >= list.count)
        panic("there is no case %d", index);
    struct op_case *c = op_case_of_form(&list.data[index]);
    form_list_free(&list);
    return c;
}

/* Only the driver makes tensor maps, so the rows that need one are tested by a program (tests/programs/tensors.cu). */
static bool needs_tensor_map(enum op op)
{
    return op >= OP_TENSOR_LOAD && op <= OP_TENSORMAP_COPY;
}

enum op op_case_missing_row(enum op from)
{
    for (int op = from > OP_NONE ? (int)from : OP_NONE + 1; op < OP_COUNT; op++) {
        struct form_list list = {0};
        form_list_row((enum op)op, &list);
        const int count = list.count;
        form_list_free(&list);
        if (!count && !needs_tensor_map((enum op)op))
            return (enum op)op;
    }
    return OP_NONE;
}
