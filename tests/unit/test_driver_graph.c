/* Graphs that a program makes by hand: nodes, edges, copies, executable graphs and their updates. */
#include "tests/unit/driver_world.h"

#include <stdio.h>
#include <unistd.h>

static CUgraph new_graph(void)
{
    CUgraph graph = NULL;
    OK(cuGraphCreate(&graph, 0));
    return graph;
}

static CUDA_KERNEL_NODE_PARAMS note_kernel(struct world *w, void **arguments)
{
    return (CUDA_KERNEL_NODE_PARAMS){.func = w->note,
                                     .gridDimX = 1,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 1,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = arguments};
}

/* A node that writes a value to the log. */
static CUgraphNode add_note(struct world *w, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                            uint32_t value)
{
    void *arguments[] = {&w->log, &value};
    CUDA_KERNEL_NODE_PARAMS k = note_kernel(w, arguments);
    CUgraphNode node = NULL;
    OK(cuGraphAddKernelNode(&node, graph, dependencies, count, &k));
    value = 0xdead;
    return node;
}

static CUgraphExec instantiate(CUgraph graph)
{
    CUgraphExec exec = NULL;
    OK(cuGraphInstantiate(&exec, graph, 0));
    return exec;
}

static void launch(CUgraph graph)
{
    CUgraphExec exec = instantiate(graph);
    OK(cuGraphLaunch(exec, NULL));
    OK(cuGraphExecDestroy(exec));
}

/* A node runs after those it depends on, and otherwise in the order of making. */
static void test_order(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph();
    CUgraphNode a = add_note(w, graph, NULL, 0, 'a'), b = add_note(w, graph, NULL, 0, 'b');
    CUgraphNode c = add_note(w, graph, (CUgraphNode[]){a, b}, 2, 'c'), d = add_note(w, graph, NULL, 0, 'd');
    (void)c;
    launch(graph);
    assert_log(w, "abcd");
    OK(cuGraphAddDependencies(graph, &d, &a, NULL, 1));
    launch(graph);
    assert_log(w, "dabc");
    OK(cuGraphRemoveDependencies(graph, &d, &a, NULL, 1));
    launch(graph);
    assert_log(w, "abcd");
}

static void test_edges_refused(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph(), other = new_graph();
    CUgraphNode a = add_note(w, graph, NULL, 0, 'a'), b = add_note(w, graph, &a, 1, 'b');
    CUgraphNode foreign = add_note(w, other, NULL, 0, 'x'), node;
    CUgraphEdgeData strange = {.type = 7};
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &a, &b, NULL, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &a, &a, NULL, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &foreign, &a, NULL, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphRemoveDependencies(graph, &b, &a, NULL, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphRemoveDependencies(graph, &a, &b, &strange, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, graph, &foreign, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, graph, (CUgraphNode[]){a, a}, 2));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, (CUgraph)w, NULL, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(NULL, graph, NULL, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy((CUgraph)w));
}

/* Cycles are found when the graph is instantiated. */
static void test_cycle(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph();
    CUgraphNode a = add_note(w, graph, NULL, 0, 'a'), b = add_note(w, graph, &a, 1, 'b');
    CUgraphExec exec;
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {0};
    OK(cuGraphAddDependencies(graph, &b, &a, NULL, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&exec, graph, &parameters));
    assert_int_equal(parameters.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    assert_true(parameters.hErrNode_out == a || parameters.hErrNode_out == b);
    /* The form of CUDA 11 also tells in words; the size of the text's room is the program's word alone. */
    CUresult (*first)(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
    char text[64];
    CUgraphNode node = NULL;
    OK(cuGetProcAddress("cuGraphInstantiate", (void **)&first, 11000, 0, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, first(&exec, graph, &node, text, SIZE_MAX));
    assert_string_equal(text, "the graph has a cycle");
    assert_true(node == a || node == b);
    FAILS(CUDA_ERROR_INVALID_VALUE, first(&exec, graph, NULL, text, 4));
    assert_string_equal(text, "the");
    FAILS(CUDA_ERROR_INVALID_VALUE, first(&exec, graph, NULL, text, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, first(&exec, graph, NULL, NULL, 8));
    OK(cuGraphRemoveDependencies(graph, &b, &a, NULL, 1));
    OK(cuGraphInstantiateWithParams(&exec, graph, &parameters));
    assert_int_equal(parameters.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&exec, graph, 1 << 20));
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiate(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH));
}

/* A chain that is far longer than a call stack is deep. */
static void test_long_chain(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;
    for (int i = 0; i < 20000; i++)
        OK(cuGraphAddEmptyNode(&node, graph, &node, node != NULL));
    add_note(w, graph, &node, 1, 'z');
    launch(graph);
    assert_log(w, "z");
}

static void test_lists(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph();
    CUgraphNode a = add_note(w, graph, NULL, 0, 'a'), b = add_note(w, graph, &a, 1, 'b'), list[4];
    CUgraphEdgeData data;
    size_t n = 77;
    OK(cuGraphGetNodes(graph, NULL, &n));
    assert_int_equal(n, 2);
    n = 4;
    OK(cuGraphGetNodes(graph, list, &n));
    assert_int_equal(n, 2);
    assert_null(list[2]);
    n = 1;
    OK(cuGraphGetRootNodes(graph, list, &n));
    assert_ptr_equal(list[0], a);
    OK(cuGraphNodeGetDependentNodes(a, list, &data, &n));
    assert_ptr_equal(list[0], b);
    OK(cuGraphNodeGetDependencies(b, list, &data, &n));
    assert_ptr_equal(list[0], a);
    OK(cuGraphDestroyNode(a));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroyNode(a));
    n = 1;
    OK(cuGraphNodeGetDependencies(b, list, NULL, &n));
    assert_int_equal(n, 0);
    launch(graph);
    assert_log(w, "b");
    /* Data of an edge is not dropped in silence. */
    CUgraphNode c = add_note(w, graph, NULL, 0, 'c');
    CUgraphEdgeData programmatic = {.from_port = 1, .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};
    OK(cuGraphAddDependencies(graph, &b, &c, &programmatic, 1));
    n = 1;
    FAILS(CUDA_ERROR_LOSSY_QUERY, cuGraphNodeGetDependencies(c, list, NULL, &n));
    OK(cuGraphNodeGetDependencies(c, list, &data, &n));
    assert_int_equal(data.from_port, 1);
}

static void test_kernel_parameters(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph();
    CUgraphNode node = add_note(w, graph, NULL, 0, 'a');
    CUDA_KERNEL_NODE_PARAMS k;
    OK(cuGraphKernelNodeGetParams(node, &k));
    assert_ptr_equal(k.func, w->note);
    assert_int_equal(*(uint32_t *)k.kernelParams[1], 'a');
    CUgraphExec exec = instantiate(graph);
    uint32_t value = 'b';
    void *arguments[] = {&w->log, &value};
    CUDA_KERNEL_NODE_PARAMS changed = note_kernel(w, arguments);
    OK(cuGraphKernelNodeSetParams(node, &changed));
    OK(cuGraphLaunch(exec, NULL));
    launch(graph);
    assert_log(w, "ab");
    value = 'c';
    OK(cuGraphExecKernelNodeSetParams(exec, node, &changed));
    OK(cuGraphLaunch(exec, NULL));
    launch(graph);
    assert_log(w, "cb");
    /* Parameters in packed form, and a launch that cannot be. */
    struct {
        uint64_t log;
        uint32_t value;
    } packed = {w->log, 'p'};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    changed.kernelParams = NULL;
    changed.extra = extra;
    OK(cuGraphKernelNodeSetParams(node, &changed));
    launch(graph);
    assert_log(w, "p");
    changed.blockDimX = 5000;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeSetParams(node, &changed));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphHostNodeSetParams(node, &(CUDA_HOST_NODE_PARAMS){0}));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams(exec, (CUgraphNode)w, &changed));
}

static void test_attributes(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph();
    CUgraphNode a = add_note(w, graph, NULL, 0, 'a'), b = add_note(w, graph, NULL, 0, 'b');
    CUkernelNodeAttrValue value = {.priority = -3}, got;
    OK(cuGraphKernelNodeSetAttribute(a, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
    OK(cuGraphKernelNodeGetAttribute(b, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &got));
    assert_int_equal(got.priority, 0);
    OK(cuGraphKernelNodeCopyAttributes(b, a));
    OK(cuGraphKernelNodeGetAttribute(b, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &got));
    assert_int_equal(got.priority, -3);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeSetAttribute(a, (CUkernelNodeAttrID)999, &value));
    launch(graph);
    assert_log(w, "ab");
}

static void test_memory_nodes(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph();
    CUgraphNode set, copy;
    CUdeviceptr memory;
    uint16_t out[8] = {0};
    OK(cuMemAlloc(&memory, 64));
    CUDA_MEMSET_NODE_PARAMS fill = {.dst = memory,
                                    .pitch = 32,
                                    .value = 0x1234,
                                    .elementSize = 2,
                                    .width = 2,
                                    .height = 2},
                            read;
    OK(cuGraphAddMemsetNode(&set, graph, NULL, 0, &fill, w->context));
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = memory,
                       .srcPitch = 32,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = out,
                       .dstPitch = 8,
                       .WidthInBytes = 4,
                       .Height = 2,
                       .Depth = 1},
                  got;
    OK(cuGraphAddMemcpyNode(&copy, graph, &set, 1, &c, w->context));
    OK(cuGraphMemsetNodeGetParams(set, &read));
    assert_int_equal(read.value, 0x1234);
    OK(cuGraphMemcpyNodeGetParams(copy, &got));
    assert_int_equal(got.Height, 2);
    CUgraphExec exec = instantiate(graph);
    OK(cuGraphLaunch(exec, NULL));
    static const uint16_t expected[8] = {0x1234, 0x1234, 0, 0, 0x1234, 0x1234, 0, 0};
    assert_memory_equal(out, expected, sizeof out);
    fill.value = 5;
    OK(cuGraphExecMemsetNodeSetParams(exec, set, &fill, w->context));
    c.dstHost = out + 2;
    OK(cuGraphExecMemcpyNodeSetParams(exec, copy, &c, w->context));
    OK(cuGraphLaunch(exec, NULL));
    assert_int_equal(out[2], 5);
    assert_int_equal(out[0], 0x1234);
    unsigned enabled;
    OK(cuGraphNodeSetEnabled(exec, set, 0));
    OK(cuGraphNodeGetEnabled(exec, set, &enabled));
    assert_int_equal(enabled, 0);
    OK(cuMemsetD8(memory, 0, 64));
    OK(cuGraphLaunch(exec, NULL));
    assert_int_equal(out[2], 0);
    fill.elementSize = 3;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphMemsetNodeSetParams(set, &fill));
    c.srcDevice = 0x10;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphMemcpyNodeSetParams(copy, &c));
}

/* A launch fails, and does not crash, if what a node needs has gone. */
static void test_stale_nodes(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph();
    CUgraphNode node;
    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, 64));
    CUDA_MEMSET_NODE_PARAMS fill = {.dst = memory, .value = 1, .elementSize = 1, .width = 64, .height = 1};
    OK(cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, w->context));
    CUgraphExec exec = instantiate(graph);
    OK(cuMemFree(memory));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(exec, NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuGraphLaunch((CUgraphExec)w, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(NULL, NULL));
    OK(cuGraphExecDestroy(exec));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuGraphLaunch(exec, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphExecDestroy(exec));
}

/* A kernel's fault ends the launch, and the context has failed. */
static void test_fault(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph();
    CUgraphNode node, a = add_note(w, graph, NULL, 0, 'a');
    CUDA_KERNEL_NODE_PARAMS k = note_kernel(w, NULL);
    k.func = w->trapped;
    OK(cuGraphAddKernelNode(&node, graph, &a, 1, &k));
    add_note(w, graph, &node, 1, 'b');
    CUgraphExec exec = instantiate(graph);
    OK(cuGraphLaunch(exec, NULL));
    FAILS(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
    FAILS(CUDA_ERROR_LAUNCH_FAILED, cuGraphLaunch(exec, NULL));
}

static void append(void *data)
{
    strcat(data, "h");
}

static void test_host_and_event_nodes(void **state)
{
    struct world *w = *state;
    char text[8] = "";
    CUgraph graph = new_graph();
    CUgraphNode host, record, wait;
    CUevent event, other, got;
    float milliseconds;
    OK(cuEventCreate(&event, 0));
    OK(cuEventCreate(&other, 0));
    OK(cuGraphAddHostNode(&host, graph, NULL, 0, &(CUDA_HOST_NODE_PARAMS){append, text}));
    OK(cuGraphAddEventRecordNode(&record, graph, &host, 1, event));
    OK(cuGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    add_note(w, graph, &wait, 1, 'k');
    OK(cuGraphEventRecordNodeGetEvent(record, &got));
    assert_ptr_equal(got, event);
    CUgraphExec exec = instantiate(graph);
    OK(cuGraphLaunch(exec, w->stream));
    OK(cuGraphExecEventRecordNodeSetEvent(exec, record, other));
    OK(cuGraphLaunch(exec, w->stream));
    OK(cuStreamSynchronize(w->stream));
    assert_string_equal(text, "hh");
    OK(cuEventElapsedTime(&milliseconds, event, other));
    assert_log(w, "kk");
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddEventRecordNode(&record, graph, NULL, 0, (CUevent)w));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddHostNode(&host, graph, NULL, 0, &(CUDA_HOST_NODE_PARAMS){0}));
}

static void test_child_graphs_and_clones(void **state)
{
    struct world *w = *state;
    CUgraph inner = new_graph(), outer = new_graph(), embedded, clone;
    CUgraphNode leaf = add_note(w, inner, NULL, 0, 'i'), first = add_note(w, outer, NULL, 0, '('), child, found;
    OK(cuGraphAddChildGraphNode(&child, outer, &first, 1, inner));
    add_note(w, outer, &child, 1, ')');
    /* The child is a copy: later changes of the original do not reach it. */
    add_note(w, inner, &leaf, 1, 'j');
    launch(outer);
    assert_log(w, "(i)");
    OK(cuGraphChildGraphNodeGetGraph(child, &embedded));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(embedded));
    OK(cuGraphNodeFindInClone(&found, leaf, embedded));
    add_note(w, embedded, &found, 1, 'e');
    launch(outer);
    assert_log(w, "(ie)");
    OK(cuGraphClone(&clone, outer));
    OK(cuGraphNodeFindInClone(&found, first, clone));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphNodeFindInClone(&found, leaf, clone));
    OK(cuGraphDestroy(outer));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphNodeFindInClone(&found, first, clone));
    launch(clone);
    assert_log(w, "(ie)");
    /* Moving a graph into a node leaves no copy. */
    CUgraph moved = new_graph(), holder = new_graph();
    add_note(w, moved, NULL, 0, 'm');
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {moved, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE}};
    OK(cuGraphAddNode(&child, holder, NULL, NULL, 0, &p));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(moved));
    launch(holder);
    assert_log(w, "m");
}

static void test_update(void **state)
{
    struct world *w = *state;
    CUgraph one = new_graph(), two = new_graph(), three = new_graph(), four = new_graph();
    CUgraphNode a = add_note(w, one, NULL, 0, 'a'), c = add_note(w, two, NULL, 0, 'c');
    CUgraphNode e = add_note(w, three, NULL, 0, 'e'), g = add_note(w, four, NULL, 0, 'g'), empty;
    add_note(w, one, &a, 1, 'b');
    add_note(w, two, &c, 1, 'd');
    add_note(w, three, NULL, 0, 'f');
    OK(cuGraphAddEmptyNode(&empty, four, &g, 1));
    (void)e;
    CUgraphExec exec = instantiate(one);
    CUgraphExecUpdateResultInfo info;
    OK(cuGraphExecUpdate(exec, two, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    OK(cuGraphLaunch(exec, NULL));
    assert_log(w, "cd");
    FAILS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, three, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    FAILS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, four, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    assert_ptr_equal(info.errorNode, empty);
    OK(cuGraphLaunch(exec, NULL));
    assert_log(w, "cd");
    /* Nodes of the first graph still name those of the executable graph. */
    uint32_t value = 'n';
    void *arguments[] = {&w->log, &value};
    CUDA_KERNEL_NODE_PARAMS k = note_kernel(w, arguments);
    OK(cuGraphExecKernelNodeSetParams(exec, a, &k));
    OK(cuGraphLaunch(exec, NULL));
    assert_log(w, "nd");
}

static uint64_t graph_memory(CUgraphMem_attribute attribute)
{
    cuuint64_t value = 0;
    OK(cuDeviceGetGraphMemAttribute(0, attribute, &value));
    return value;
}

static void test_allocation_nodes(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph(), clone;
    CUgraphNode alloc, set, release;
    CUgraphExec exec, second;
    CUDA_MEM_ALLOC_NODE_PARAMS p = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location.type = CU_MEM_LOCATION_TYPE_DEVICE},
        .bytesize = 1000};
    OK(cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &p));
    assert_true(p.dptr != 0);
    CUDA_MEMSET_NODE_PARAMS fill = {.dst = p.dptr, .value = 9, .elementSize = 1, .width = 1000, .height = 1};
    OK(cuGraphAddMemsetNode(&set, graph, &alloc, 1, &fill, w->context));
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphClone(&clone, graph));
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphDestroyNode(alloc));
    exec = instantiate(graph);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiate(&second, graph, 0));
    assert_int_equal(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p.dptr));
    OK(cuGraphLaunch(exec, NULL));
    assert_int_equal(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 1000);
    /* The memory is still allocated, so the graph cannot allocate it again. */
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(exec, NULL));
    unsigned char byte;
    OK(cuMemcpyDtoH(&byte, p.dptr + 999, 1));
    assert_int_equal(byte, 9);
    OK(cuMemFreeAsync(p.dptr, NULL));
    OK(cuGraphLaunch(exec, NULL));
    /* Memory outlives the graphs until it is freed. */
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuMemcpyDtoH(&byte, p.dptr, 1));
    OK(cuMemFree(p.dptr));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&byte, p.dptr, 1));
    assert_int_equal(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0);
    assert_true(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >= 1000);
    cuuint64_t zero = 0;
    OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
    assert_int_equal(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 0);
    /* A graph that frees what it allocates, and one whose launches free what was left. */
    graph = new_graph();
    OK(cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &p));
    exec = NULL;
    OK(cuGraphInstantiate(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuMemFree(p.dptr));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphAddMemFreeNode(&release, graph, &alloc, 1, p.dptr));
    exec = instantiate(graph);
    OK(cuGraphLaunch(exec, NULL));
    OK(cuGraphLaunch(exec, NULL));
    assert_int_equal(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
    /* The same for memory of a child graph. */
    CUgraph child = new_graph();
    CUgraphNodeParams move = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {child, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE}};
    graph = new_graph();
    OK(cuGraphAddMemAllocNode(&alloc, child, NULL, 0, &p));
    OK(cuGraphAddNode(&set, graph, NULL, NULL, 0, &move));
    OK(cuGraphInstantiate(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuGraphLaunch(exec, NULL));
    assert_int_equal(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 1000);
    OK(cuMemFree(p.dptr));
}

static void destroyed(void *data)
{
    ++*(int *)data;
}

/* The destructor runs when the last reference is gone, that of an executable graph included. */
static void test_user_objects(void **state)
{
    struct world *w = *state;
    int count = 0;
    CUuserObject object;
    CUgraph graph = new_graph();
    OK(cuUserObjectCreate(&object, &count, destroyed, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(cuUserObjectRetain(object, 2));
    OK(cuUserObjectRelease(object, 2));
    add_note(w, graph, NULL, 0, 'a');
    CUgraphExec exec = instantiate(graph);
    OK(cuGraphDestroy(graph));
    OK(cuCtxSynchronize());
    assert_int_equal(count, 0);
    OK(cuGraphExecDestroy(exec));
    OK(cuCtxSynchronize());
    assert_int_equal(count, 1);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuUserObjectRelease(object, 1));
    /* A program that releases the graph's reference leaves the graph, and copies of it, without the object. */
    CUgraph robbed = new_graph(), copy;
    OK(cuUserObjectCreate(&object, &count, destroyed, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cuGraphRetainUserObject(robbed, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(cuUserObjectRelease(object, 1));
    OK(cuCtxSynchronize());
    assert_int_equal(count, 2);
    OK(cuGraphClone(&copy, robbed));
    OK(cuGraphDestroy(copy));
    OK(cuGraphDestroy(robbed));
    OK(cuCtxSynchronize());
    assert_int_equal(count, 2);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuUserObjectCreate(&object, &count, destroyed, 1, 0));
}

static CUgraph *add_condition(CUgraph graph, CUgraphConditionalHandle handle, CUgraphConditionalNodeType type,
                              unsigned size)
{
    CUgraphNode node;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                           .conditional = {.handle = handle, .type = type, .size = size}};
    OK(cuGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    return p.conditional.phGraph_out;
}

/* A kernel of the body says whether the body runs again; the default value says whether it runs at all. */
static void test_while_node(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph();
    CUgraphNode node;
    CUgraphConditionalHandle handle;
    CUdeviceptr count;
    uint32_t limit = 4;
    OK(cuMemAlloc(&count, 4));
    OK(cuMemsetD32(count, 0, 1));
    OK(cuGraphConditionalHandleCreate(&handle, graph, w->context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraph body = add_condition(graph, handle, CU_GRAPH_COND_TYPE_WHILE, 1)[0];
    void *arguments[] = {&w->log, &count, &handle, &limit};
    CUDA_KERNEL_NODE_PARAMS k = note_kernel(w, arguments);
    k.func = w->turn;
    OK(cuGraphAddKernelNode(&node, body, NULL, 0, &k));
    /* A stream can be captured into the body. */
    OK(cuStreamBeginCaptureToGraph(w->stream, body, &node, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(note(w, w->stream, '.'));
    OK(cuStreamEndCapture(w->stream, &body));
    CUgraphExec exec = instantiate(graph);
    OK(cuGraphLaunch(exec, NULL));
    assert_log(w, "A.B.C.D.");
    OK(cuMemsetD32(count, 2, 1));
    OK(cuGraphLaunch(exec, w->stream));
    assert_log(w, "C.D.");
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(body));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(handle));
}

static void test_if_and_switch_nodes(void **state)
{
    struct world *w = *state;
    static const struct {
        CUgraphConditionalNodeType type;
        unsigned size, value;
        const char *expected;
    } cases[] = {{CU_GRAPH_COND_TYPE_IF, 1, 7, "a"},    {CU_GRAPH_COND_TYPE_IF, 1, 0, ""},
                 {CU_GRAPH_COND_TYPE_IF, 2, 0, "b"},    {CU_GRAPH_COND_TYPE_SWITCH, 3, 2, "c"},
                 {CU_GRAPH_COND_TYPE_SWITCH, 3, 3, ""}, {CU_GRAPH_COND_TYPE_SWITCH, 3, 0, "a"},
                 {CU_GRAPH_COND_TYPE_WHILE, 1, 0, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CUgraph graph = new_graph();
        CUgraphConditionalHandle handle;
        OK(cuGraphConditionalHandleCreate(&handle, graph, NULL, cases[i].value, CU_GRAPH_COND_ASSIGN_DEFAULT));
        CUgraph *bodies = add_condition(graph, handle, cases[i].type, cases[i].size);
        for (unsigned k = 0; k < cases[i].size; k++)
            add_note(w, bodies[k], NULL, 0, 'a' + k);
        launch(graph);
        assert_log(w, cases[i].expected);
        OK(cuGraphDestroy(graph));
    }
}

static void test_conditions_refused(void **state)
{
    struct world *w = *state;
    CUgraph graph = new_graph();
    CUgraphNode node;
    CUgraphConditionalHandle handle;
    CUgraphExec exec;
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {0};
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphConditionalHandleCreate(&handle, graph, NULL, 1, 4));
    OK(cuGraphConditionalHandleCreate(&handle, graph, NULL, 1, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&exec, graph, &parameters));
    assert_int_equal(parameters.result_out, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL, .conditional = {.handle = w->log, .size = 1}};
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    p.conditional.handle = handle;
    p.conditional.size = 3;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    p.conditional.type = CU_GRAPH_COND_TYPE_SWITCH;
    p.conditional.size = UINT32_MAX;
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    p.conditional.type = CU_GRAPH_COND_TYPE_IF;
    p.conditional.size = 1;
    OK(cuGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    /* A graph cannot move into itself, nor into a graph that is inside of it. */
    CUgraphNodeParams child = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {graph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE}};
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, graph, NULL, NULL, 0, &child));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, p.conditional.phGraph_out[0], NULL, NULL, 0, &child));
}

static void test_not_supported(void **state)
{
    (void)state;
    CUgraph graph = new_graph();
    CUgraphNode node;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL};
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddExternalSemaphoresWaitNode(&node, graph, NULL, 0, NULL));
    p.type = (CUgraphNodeType)77;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, graph, NULL, NULL, 0, &p));
}

static void test_dot(void **state)
{
    struct world *w = *state;
    char path[] = "/tmp/heddle-dot-XXXXXX", text[4096] = "";
    int file = mkstemp(path);
    assert_true(file >= 0);
    CUgraph graph = new_graph();
    CUgraphNode a = add_note(w, graph, NULL, 0, 'a');
    add_note(w, graph, &a, 1, 'b');
    OK(cuGraphDebugDotPrint(graph, path, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
    assert_true(read(file, text, sizeof text - 1) > 0);
    close(file);
    unlink(path);
    assert_non_null(strstr(text, "digraph"));
    assert_non_null(strstr(text, "note"));
    assert_non_null(strstr(text, " -> "));
    FAILS(CUDA_ERROR_OPERATING_SYSTEM, cuGraphDebugDotPrint(graph, "/nowhere/at/all", 0));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(test_order),
        TEST(test_edges_refused),
        TEST(test_cycle),
        TEST(test_long_chain),
        TEST(test_lists),
        TEST(test_kernel_parameters),
        TEST(test_attributes),
        TEST(test_memory_nodes),
        TEST(test_stale_nodes),
        TEST(test_fault),
        TEST(test_host_and_event_nodes),
        TEST(test_child_graphs_and_clones),
        TEST(test_update),
        TEST(test_allocation_nodes),
        TEST(test_user_objects),
        TEST(test_while_node),
        TEST(test_if_and_switch_nodes),
        TEST(test_conditions_refused),
        TEST(test_not_supported),
        TEST(test_dot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
