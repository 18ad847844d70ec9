/* Arrays of every shape, mipmapped arrays, surface objects, and copies from and to arrays, alone and in batches. */
#include "driver_check.h"

CUresult cuMemcpyBatchAsync_v1(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count, size_t *failed,
                               CUstream stream) __asm__("cuMemcpyBatchAsync");

static CUarray make(size_t width, size_t height, size_t depth, unsigned flags)
{
    CUarray a = NULL;
    CUDA_ARRAY3D_DESCRIPTOR d = {width, height, depth, CU_AD_FORMAT_UNSIGNED_INT32, 1, flags};
    OK(cuArray3DCreate(&a, &d));
    return a;
}

static CUresult try_make(size_t width, size_t height, size_t depth, CUarray_format format, unsigned channels,
                         unsigned flags)
{
    CUarray a;
    CUDA_ARRAY3D_DESCRIPTOR d = {width, height, depth, format, channels, flags};
    CUresult result = cuArray3DCreate(&a, &d);
    if (!result)
        OK(cuArrayDestroy(a));
    return result;
}

static void test_shapes(void **state)
{
    (void)state;
    const CUarray_format u = CU_AD_FORMAT_UNSIGNED_INT8;
    OK(try_make(131072, 0, 0, u, 4, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(131073, 0, 0, u, 1, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(0, 0, 0, u, 1, 0));
    OK(try_make(16, 16, 16, CU_AD_FORMAT_HALF, 2, CUDA_ARRAY3D_SURFACE_LDST));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(16, 0, 16, u, 1, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(16385, 1, 1, u, 1, 0));
    OK(try_make(16, 0, 2048, u, 1, CUDA_ARRAY3D_LAYERED));
    OK(try_make(16, 16, 3, u, 1, CUDA_ARRAY3D_LAYERED));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(16, 16, 0, u, 1, CUDA_ARRAY3D_LAYERED));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(16, 16, 2049, u, 1, CUDA_ARRAY3D_LAYERED));
    OK(try_make(16, 16, 6, u, 1, CUDA_ARRAY3D_CUBEMAP));
    OK(try_make(16, 16, 12, u, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(16, 16, 12, u, 1, CUDA_ARRAY3D_CUBEMAP));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(16, 8, 6, u, 1, CUDA_ARRAY3D_CUBEMAP));
    OK(try_make(16, 8, 0, u, 1, CUDA_ARRAY3D_TEXTURE_GATHER));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(16, 0, 0, u, 1, CUDA_ARRAY3D_TEXTURE_GATHER));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(16, 0, 0, u, 3, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(16, 0, 0, u, 1, 0x8000));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(16, 13, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_DEPTH_TEXTURE));
    FAILS(CUDA_ERROR_INVALID_VALUE, try_make(16, 0, 0, (CUarray_format)7, 1, 0));
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, try_make(16384, 16384, 16384, u, 4, 0));
}

static void test_refusals_name_the_call(void **state)
{
    (void)state;
    char text[1024];
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = make(4, 4, 0, 0)};
    CUDA_TEXTURE_DESC s = {.filterMode = CU_TR_FILTER_MODE_POINT};
    CUDA_RESOURCE_VIEW_DESC compressed = {.format = (CUresourceViewFormat)25 /* BC1 */};
    CUevent event;
    CUtexObject object;
    int saved = catch_stderr();
    CUresult packed = cuTexObjectCreate(&object, &r, &s, &compressed);
    CUresult shared = cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
    CUresult sparse = try_make(16, 16, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SPARSE);
    CUresult format = try_make(16, 16, 0, CU_AD_FORMAT_BC1_UNORM, 4, 0);
    release_stderr(saved, text, sizeof text);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, packed);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, shared);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, sparse);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, format);
    assert_string_equal(text,
                        "heddle: cuTexObjectCreate is not supported: views of compressed formats\n"
                        "heddle: cuEventCreate is not supported: events that processes share\n"
                        "heddle: cuArray3DCreate is not supported: arrays that are sparse, mapped later, or for video\n"
                        "heddle: cuArray3DCreate is not supported: arrays of format 0x91\n");
}

static void test_descriptors(void **state)
{
    (void)state;
    CUarray a = make(5, 4, 3, CUDA_ARRAY3D_LAYERED);
    CUDA_ARRAY3D_DESCRIPTOR full;
    CUDA_ARRAY_DESCRIPTOR flat;
    OK(cuArray3DGetDescriptor(&full, a));
    OK(cuArrayGetDescriptor(&flat, a));
    assert_int_equal(full.Width, 5);
    assert_int_equal(full.Height, 4);
    assert_int_equal(full.Depth, 3);
    assert_int_equal(full.Flags, CUDA_ARRAY3D_LAYERED);
    assert_int_equal(flat.Height, 4);
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArrayGetSparseProperties(&sparse, a));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArrayGetMemoryRequirements(&needs, a, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArrayGetPlane(&a, a, 0));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuArrayGetPlane(&a, (CUarray)&flat, 0));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuArray3DGetDescriptor(&full, (CUarray)&flat));
    OK(cuArrayDestroy(a));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuArray3DGetDescriptor(&full, a));
}

enum { W = 4, H = 3, D = 5 };

/* A box of a 3D array, from host memory into its middle and back out. */
static void test_copies_of_boxes(void **state)
{
    (void)state;
    CUarray a = make(W, H, D, 0);
    uint32_t host[D][H][W], back[2][2][2], all[D][H][W];
    for (unsigned i = 0; i < D * H * W; i++)
        ((uint32_t *)host)[i] = i;
    CUDA_MEMCPY3D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = sizeof host[0][0],
                        .srcHeight = H,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = a,
                        .WidthInBytes = sizeof host[0][0],
                        .Height = H,
                        .Depth = D};
    OK(cuMemcpy3D(&in));
    CUDA_MEMCPY3D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcArray = a,
                         .srcXInBytes = 4,
                         .srcY = 1,
                         .srcZ = 3,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = back,
                         .WidthInBytes = 8,
                         .Height = 2,
                         .Depth = 2};
    OK(cuMemcpy3DAsync(&out, NULL));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 2; x++)
                assert_int_equal(back[z][y][x], host[z + 3][y + 1][x + 1]);
    out.srcZ = 4; /* one slice too far */
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&out));
    out.srcZ = 3;
    out.srcY = 2;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&out));
    /* From array to array, then all of it. */
    CUarray b = make(W, H, D, CUDA_ARRAY3D_LAYERED);
    CUDA_MEMCPY3D_PEER over = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                               .srcArray = a,
                               .srcContext = *state,
                               .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                               .dstArray = b,
                               .dstContext = *state,
                               .WidthInBytes = sizeof host[0][0],
                               .Height = H,
                               .Depth = D};
    OK(cuMemcpy3DPeer(&over));
    CUDA_MEMCPY3D whole = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = b,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = all,
                           .WidthInBytes = sizeof host[0][0],
                           .Height = H,
                           .Depth = D};
    OK(cuMemcpy3D(&whole));
    assert_memory_equal(all, host, sizeof host);
    over.dstContext = (CUcontext)&over;
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuMemcpy3DPeerAsync(&over, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DPeer(NULL));
}

static void test_mipmaps(void **state)
{
    (void)state;
    CUDA_ARRAY3D_DESCRIPTOR d = {20, 6, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray m;
    CUarray level;
    OK(cuMipmappedArrayCreate(&m, &d, 99));
    const size_t width[] = {20, 10, 5, 2, 1}, height[] = {6, 3, 1, 1, 1};
    for (unsigned i = 0; i < 5; i++) {
        CUDA_ARRAY3D_DESCRIPTOR of_level;
        OK(cuMipmappedArrayGetLevel(&level, m, i));
        OK(cuArray3DGetDescriptor(&of_level, level));
        assert_int_equal(of_level.Width, width[i]);
        assert_int_equal(of_level.Height, height[i]);
        assert_int_equal(of_level.Depth, 0);
    }
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, m, 5));
    OK(cuMipmappedArrayGetLevel(&level, m, 2));
    float in[5] = {1, 2, 3, 4, 5}, out[5] = {0};
    OK(cuMemcpyHtoA(level, 0, in, sizeof in));
    OK(cuMemcpyAtoH(out, level, 0, sizeof out));
    assert_memory_equal(out, in, sizeof in);
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(level));
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetSparseProperties(&sparse, m));
    OK(cuMipmappedArrayDestroy(m));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(m));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyAtoH(out, level, 0, sizeof out));
    /* Layers are not halved. */
    d = (CUDA_ARRAY3D_DESCRIPTOR){8, 0, 7, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED};
    OK(cuMipmappedArrayCreate(&m, &d, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, m, 1));
    OK(cuMipmappedArrayDestroy(m));
    OK(cuMipmappedArrayCreate(&m, &d, 4));
    OK(cuMipmappedArrayGetLevel(&level, m, 3));
    OK(cuArray3DGetDescriptor(&d, level));
    assert_int_equal(d.Width, 1);
    assert_int_equal(d.Height, 0);
    assert_int_equal(d.Depth, 7);
    /* The context's end frees what is left. */
}

/* A mipmapped array whose later levels do not fit leaves nothing behind. */
static void test_mipmap_without_room(void **state)
{
    (void)state;
    size_t before, after;
    CUDA_ARRAY3D_DESCRIPTOR d = {16384, 8192, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray m;
    OK(cuMemGetInfo(&before, NULL));
    CUdeviceptr rest;
    OK(cuMemAlloc(&rest, before - ((size_t)16384 * 8192 * 4 + 1024)));
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMipmappedArrayCreate(&m, &d, 5));
    OK(cuMemFree(rest));
    OK(cuMemGetInfo(&after, NULL));
    assert_int_equal(after, before);
}

static void test_surfaces(void **state)
{
    (void)state;
    CUarray a = make(8, 8, 0, CUDA_ARRAY3D_SURFACE_LDST), plain = make(8, 8, 0, 0);
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY}, back;
    CUsurfObject s;
    r.res.array.hArray = plain;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&s, &r));
    r.res.array.hArray = (CUarray)&r;
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuSurfObjectCreate(&s, &r));
    r.res.array.hArray = a;
    OK(cuSurfObjectCreate(&s, &r));
    OK(cuSurfObjectGetResourceDesc(&back, s));
    assert_ptr_equal(back.res.array.hArray, a);
    OK(cuSurfObjectDestroy(s));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectDestroy(s));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectGetResourceDesc(&back, s));
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&s, &r));
}

static void test_batches(void **state)
{
    (void)state;
    CUdeviceptr to[2], from[2];
    size_t bytes[2] = {8, 4}, index[2] = {0, 1}, failed = 7;
    uint32_t in[3] = {1, 2, 3}, out[3];
    OK(cuMemAlloc(&to[0], 12));
    to[1] = to[0] + 8;
    from[0] = (CUdeviceptr)(uintptr_t)in;
    from[1] = from[0] + 8;
    CUmemcpyAttributes a[2] = {{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM},
                               {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY}};
    OK(cuMemcpyBatchAsync(to, from, bytes, 2, a, index, 2, CU_STREAM_PER_THREAD));
    OK(cuMemcpyDtoH(out, to[0], 12));
    assert_memory_equal(in, out, 12);
    bytes[1] = 5; /* past the end */
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync_v1(to, from, bytes, 2, a, index, 1, &failed, NULL));
    assert_int_equal(failed, 1);
    index[1] = 0;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync_v1(to, from, bytes, 2, a, index, 2, &failed, NULL));
    assert_true(failed == SIZE_MAX);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, bytes, 0, a, index, 1, NULL));

    /* A row of three dimensions into an array; lengths are in elements of the array. */
    CUarray array = make(4, 2, 0, 0);
    CUDA_MEMCPY3D_BATCH_OP o = {.extent = {3, 1, 1}, .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    o.src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    o.src.op.ptr.ptr = to[0];
    o.dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    o.dst.op.array.array = array;
    o.dst.op.array.offset = (CUoffset3D){1, 0, 0};
    OK(cuMemcpy3DBatchAsync(1, &o, 0, NULL));
    uint32_t row[4];
    OK(cuMemcpyAtoH(row, array, 0, sizeof row));
    const uint32_t wanted[4] = {0, 1, 2, 3};
    assert_memory_equal(row, wanted, sizeof row);
    o.dst.op.array.offset.x = 2;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync(1, &o, 0, NULL));
    /* Positions and row lengths whose number of bytes is beyond 2^64 must not come out as small ones. */
    o.dst.op.array.offset.x = SIZE_MAX / 4 + 1;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync(1, &o, 0, NULL));
    o.dst.op.array.offset.x = 1;
    o.src.op.ptr.rowLength = SIZE_MAX / 4 + 1;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync(1, &o, 0, NULL));
    o.dst.op.array.array = (CUarray)&o;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync(1, &o, 0, NULL));
}

static void test_prefetch_batches(void **state)
{
    (void)state;
    CUdeviceptr p[2];
    size_t bytes[2] = {4096, 4096}, index = 0;
    CUmemLocation device = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
    OK(cuMemAllocManaged(&p[0], 8192, CU_MEM_ATTACH_GLOBAL));
    p[1] = p[0] + 4096;
    OK(cuMemPrefetchBatchAsync(p, bytes, 2, &device, &index, 1, 0, NULL));
    OK(cuMemDiscardBatchAsync(p, bytes, 2, 0, NULL));
    OK(cuMemDiscardAndPrefetchBatchAsync(p, bytes, 2, &device, &index, 1, 0, NULL));
    bytes[1] = 4097;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchBatchAsync(p, bytes, 2, &device, &index, 1, 0, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemDiscardBatchAsync(p, bytes, 0, 0, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchBatchAsync(p, bytes, 1, &device, &index, 2, 0, NULL));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_shapes),           TEST(test_refusals_name_the_call),
        TEST(test_descriptors),      TEST(test_copies_of_boxes),
        TEST(test_mipmaps),          TEST(test_mipmap_without_room),
        TEST(test_surfaces),         TEST(test_batches),
        TEST(test_prefetch_batches),
    };
    heddle_set_options("--memory 1G");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
