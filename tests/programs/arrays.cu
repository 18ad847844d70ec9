// CUDA arrays of one, two and three dimensions: copies in and out, from array to array, and what is said of them.
#include "common.cuh"

int main()
{
    const int width = 24, height = 6;
    float in[height][width], out[height][width];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            in[y][x] = 100 * y + x;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    printf("float channels %d %d %d %d kind %d\n", format.x, format.y, format.z, format.w, (int)format.f);
    cudaChannelFormatDesc pixel = cudaCreateChannelDesc<uchar4>();
    printf("uchar4 channels %d %d %d %d kind %d\n", pixel.x, pixel.y, pixel.z, pixel.w, (int)pixel.f);

    cudaArray_t plane, other, line, box;
    CHECK(cudaMallocArray(&plane, &format, width, height));
    CHECK(cudaMallocArray(&other, &format, width, height));
    CHECK(cudaMemcpy2DToArray(plane, 0, 0, in, sizeof in[0], sizeof in[0], height, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DArrayToArray(other, 0, 0, plane, 0, 0, sizeof in[0], height, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy2DFromArray(out, sizeof out[0], other, 0, 0, sizeof out[0], height, cudaMemcpyDeviceToHost));
    printf("array to array same %d\n", fingerprint(in, sizeof in) == fingerprint(out, sizeof out));
    // A window, by offset.
    float window[2][3];
    CHECK(cudaMemcpy2DFromArray(window, sizeof window[0], plane, 5 * sizeof(float), 2, sizeof window[0], 2,
                                cudaMemcpyDeviceToHost));
    printf("window %g %g %g / %g %g %g\n", window[0][0], window[0][1], window[0][2], window[1][0], window[1][1],
           window[1][2]);

    cudaChannelFormatDesc got;
    cudaExtent extent;
    unsigned flags = 77;
    CHECK(cudaArrayGetInfo(&got, &extent, &flags, plane));
    printf("plane %zu by %zu by %zu flags %u bits %d\n", extent.width, extent.height, extent.depth, flags, got.x);

    CHECK(cudaMallocArray(&line, &pixel, 16));
    uchar4 pixels[16], back[16];
    for (int i = 0; i < 16; i++)
        pixels[i] = make_uchar4(i, 2 * i, 3 * i, 255);
    CHECK(cudaMemcpy2DToArray(line, 0, 0, pixels, sizeof pixels, sizeof pixels, 1, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DFromArray(back, sizeof back, line, 0, 0, sizeof back, 1, cudaMemcpyDeviceToHost));
    printf("pixel 7 %d %d %d %d\n", back[7].x, back[7].y, back[7].z, back[7].w);

    const int depth = 3;
    int cube[depth][4][8], again[depth][4][8] = {};
    for (int i = 0; i < depth * 4 * 8; i++)
        ((int *)cube)[i] = i * i;
    cudaChannelFormatDesc number = cudaCreateChannelDesc<int>();
    CHECK(cudaMalloc3DArray(&box, &number, make_cudaExtent(8, 4, depth)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(cube, sizeof cube[0][0], 8, 4);
    copy.dstArray = box;
    copy.extent = make_cudaExtent(8, 4, depth);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaMemcpy3DParms fetch = {};
    fetch.srcArray = box;
    fetch.srcPos = make_cudaPos(1, 1, 1);
    fetch.dstPtr = make_cudaPitchedPtr(again, sizeof again[0][0], 8, 4);
    fetch.extent = make_cudaExtent(7, 3, 2);
    fetch.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&fetch));
    printf("cube part %d %d %d\n", again[0][0][0], again[1][2][6], again[2][0][0]);
    CHECK(cudaArrayGetInfo(&got, &extent, &flags, box));
    printf("cube %zu by %zu by %zu\n", extent.width, extent.height, extent.depth);
    CHECK(cudaFreeArray(plane));
    CHECK(cudaFreeArray(other));
    CHECK(cudaFreeArray(line));
    CHECK(cudaFreeArray(box));
    CHECK(cudaFreeArray(NULL));
    return 0;
}
