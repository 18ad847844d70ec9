// The interface of the library: host functions that launch kernels, and device code of its own behind them.
#pragma once
void filter_threshold(int *device, int n, int limit);
void filter_smooth(const int *from, int *to, int n);
int filter_launches();
