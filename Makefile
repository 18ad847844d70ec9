# heddle: `make` builds everything and installs nothing; `make test`, `make demo` and `make deb` also install the
# packages that they need. tests/tests.mk has the tests, packaging/packaging.mk `make install` and `make deb`.
BUILD   ?= build
# What the command and the tests are linked with. With a shared object, a changed library needs no new link.
LIB     ?= $(BUILD)/libheddle.a
CC      ?= cc
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
VERSION := $(shell cat VERSION)
# The number in libheddle's soname: one more whenever a program that was linked with the last one must be linked anew.
ABI     := 0

# -O3 for the lane loops; no contraction, since a fused multiply-add is another instruction; registers are
# reinterpreted between types all the time, hence no strict aliasing.
# The last two quiet clang: loops an unoptimised build cannot vectorise, rounding modes on aarch64.
WARN     = -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes \
           -Wno-pass-failed -Wno-unsupported-floating-point-opt
FP       = -ffp-contract=off -fno-math-errno -fno-trapping-math
CFLAGS  ?= -O3 -g
ALL_CFLAGS = -std=gnu17 $(CFLAGS) $(WARN) $(FP) -fno-strict-aliasing -fPIC -fvisibility=hidden -MMD -MP \
             -Isrc -Iinclude $(FILE_CFLAGS) $(EXTRA_CFLAGS)
VERSION_CFLAGS = -DHEDDLE_VERSION='"$(VERSION)"'
# SQLite, inih, LZ4 and zstd are linked in, and their names are kept out of what the libraries export. Debian has cJSON as a
# shared library only.
LDLIBS   = -l:libsqlite3.a -l:libinih.a -l:liblz4.a -l:libzstd.a \
           -Wl,--exclude-libs,libsqlite3.a:libinih.a:liblz4.a:libzstd.a -Wl,--as-needed -lcjson -lm -lpthread -ldl
# The libraries export the driver API and the calls of heddle.h, nothing else.
EXPORTS  = -Wl,--version-script=packaging/exports.map

LIB_SRC := $(sort $(shell find src -name '*.c' -not -path 'src/cli/*' -not -path 'src/runtime/*' \
    -not -path 'src/audit/*' -not -path 'src/farm/plug/*'))
CLI_SRC := $(sort $(wildcard src/cli/*.c))
# Lane handlers are compiled twice: for rows of 32 lanes and for single lanes (lanes/lane_loop.h).
SINGLE_OBJ := $(patsubst %,$(BUILD)/src/lanes/%.single.o,int mul carry bits field compare compare_half select f32 f64 half sign \
    math special convert move packed)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o) $(SINGLE_OBJ)
# What the shared libraries are made of: studies, their store and pages are the command's alone, so that no CUDA program
# loads SQLite with the driver.
DRIVER_OBJ = $(filter-out $(BUILD)/src/study/% $(BUILD)/src/store/% $(BUILD)/src/farm/% $(BUILD)/src/page/%,$(LIB_OBJ))
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)

.PHONY: all workloads
# Sweeps over MPI are a plug-in, made where MPI's compiler is found, so that heddle itself needs no MPI.
MPICC   ?= mpicc
MPI_PLUG := $(if $(shell command -v $(MPICC) 2>/dev/null),$(BUILD)/lib/farm-mpi.so)
all: $(BUILD)/heddle $(MPI_PLUG) $(BUILD)/libheddle.so $(BUILD)/lib/libcuda.so.1 runtime workloads

# Says which packages are missing, once and before anything is compiled, and installs none.
.PHONY: deps
deps:
	@CC="$(CC)" scripts/deps.sh build

# The oracle computes in every rounding mode with ordinary C, so its compiler must not assume one.
$(BUILD)/src/oracle/%.o: FILE_CFLAGS += -frounding-math

# The rooms that simulate an issue. LTO, which is empty unless `make pgo` sets it, lets gcc compile them as one at the link.
LTO ?=
HOT_OBJ := $(filter $(patsubst %,$(BUILD)/src/%/%.o,lanes image exec mem sched div sm gpu),$(LIB_OBJ))
$(HOT_OBJ): FILE_CFLAGS += $(LTO)

$(BUILD)/%.o: %.c | deps
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@

$(SINGLE_OBJ): $(BUILD)/%.single.o: %.c | deps
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -DLANES_SINGLE -c $< -o $@

# Only the files that name the version are compiled anew when it changes.
VERSION_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(shell grep -rl HEDDLE_VERSION --include='*.c' src))
$(VERSION_OBJ): VERSION
$(VERSION_OBJ): FILE_CFLAGS += $(VERSION_CFLAGS)

# Every file gpus/NAME.ini becomes part of the library, as machine NAME: the generated list has one line MACHINE(number,
# "NAME") per file. Papers become part of it by name. The folders are prerequisites too, since their times change when a
# file comes or goes. The assembler reads the files by paths from the root; no compiler writes these dependencies.
MACHINE_FILES := $(sort $(wildcard gpus/*.ini))
MACHINE_LIST := $(BUILD)/generated/gpu/machines.def
$(MACHINE_LIST): gpus $(MACHINE_FILES)
	@mkdir -p $(@D)
	@number=0; for file in $(MACHINE_FILES); do name=$${file##*/}; echo "MACHINE($$number, \"$${name%.ini}\")"; \
	    number=$$((number + 1)); done >$@
$(BUILD)/src/gpu/builtin.o: FILE_CFLAGS += -I$(BUILD)/generated
$(BUILD)/src/gpu/builtin.o: $(MACHINE_LIST) $(MACHINE_FILES)
# So does every paper papers/NAME.ini, with its claims.
PAPERS := $(sort $(patsubst papers/%.ini,%,$(wildcard papers/*.ini)))
$(BUILD)/src/study/paper_built_in.o: FILE_CFLAGS += -DHEDDLE_PAPERS='$(foreach p,$(PAPERS),PAPER($(p)))'
$(BUILD)/src/study/paper_built_in.o: papers $(wildcard papers/*)
# And so does the page of heddle report, as web/dist has it. `make web` makes web/dist from web/src, with the packages
# that web/package.json names; the bundle is committed, so nothing else needs npm.
$(BUILD)/src/page/page.o: web/dist/report.js web/dist/report.css
$(BUILD)/src/gpu/builtin.o $(BUILD)/src/study/paper_built_in.o $(BUILD)/src/page/page.o: FILE_CFLAGS += -I.

.PHONY: web
web:
	@[ -d web/node_modules ] || (cd web && npm ci --silent)
	cd web && node build.mjs

$(BUILD)/libheddle.a: $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/heddle: $(CLI_OBJ) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(CLI_OBJ) $(LIB) $(LDLIBS)

# The driver has a thread of its own (src/cuda/queue.c), so its code stays when a program closes the library: nodelete.
$(BUILD)/libheddle.so.$(ABI): $(DRIVER_OBJ) packaging/exports.map
	$(CC) $(CFLAGS) $(LDFLAGS) $(EXPORTS) -shared -Wl,-z,nodelete -Wl,-soname,$(@F) -o $@ $(DRIVER_OBJ) $(LDLIBS)

$(BUILD)/libheddle.so: $(BUILD)/libheddle.so.$(ABI)
	ln -sf $(<F) $@

# The same code under the name that driver-API programs look for.
$(BUILD)/lib/libcuda.so.1: $(DRIVER_OBJ) packaging/exports.map
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $(EXPORTS) -shared -Wl,-z,nodelete -Wl,-soname,libcuda.so.1 -o $@ $(DRIVER_OBJ) $(LDLIBS)
	ln -sf libcuda.so.1 $(@D)/libcuda.so

# The CUDA runtime, one library per major version of CUDA, and an archive to link programs with. What differs from one
# version to the next is compiled for each. A program names the version that it was linked with in every symbol.
OBJCOPY ?= objcopy
RUNTIME_VERSIONS := 11.0 12 13
RUNTIME_NEWEST := 13
RUNTIME_SRC := $(sort $(wildcard src/runtime/*.c))
RUNTIME_OBJ := $(RUNTIME_SRC:%.c=$(BUILD)/%.o)
VERSIONED_SRC := $(sort $(wildcard src/runtime/versioned/*.c))
versioned_obj = $(patsubst src/runtime/versioned/%.c,$(BUILD)/src/runtime/versioned/$(1)/%.o,$(VERSIONED_SRC))
RUNTIME_LIBS := $(RUNTIME_VERSIONS:%=$(BUILD)/lib/libcudart.so.%)
.PHONY: runtime
runtime: $(RUNTIME_LIBS) $(BUILD)/lib/libcudart_static.a $(BUILD)/lib/libheddle-audit.so

define runtime_version
$(BUILD)/src/runtime/versioned/$(1)/%.o: src/runtime/versioned/%.c | deps
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) -DRUNTIME_MAJOR=$(basename $(1)) -c $$< -o $$@

# A library finds its driver in its own folder, whatever LD_LIBRARY_PATH says: beside a GPU that may lead to the vendor's.
$(BUILD)/lib/libcudart.so.$(1): $(call runtime_obj,$(1)) $(call versioned_obj,$(1)) $(BUILD)/libheddle.a
	@mkdir -p $$(@D)
	@printf 'libcudart.so.$(1) { global: cuda*; __cuda*; local: *; };\n' >$$@.map
	$$(CC) $$(CFLAGS) $$(LDFLAGS) -shared -Wl,-soname,$$(@F) -Wl,--version-script=$$@.map \
	    -Wl,--disable-new-dtags,-rpath,'$$$$ORIGIN' \
	    -Wl,-z,defs -o $$@ $$^ -Wl,--as-needed -ldl -lpthread
	@rm -f $$@.map
	ln -sf libcudart.so.$(RUNTIME_NEWEST) $$(@D)/libcudart.so
endef

# A call whose arguments changed has the newest form in the common objects, so in an older library these objects have it
# under another name, and versioned/ has the older form under the plain one.
runtime_obj = $(if $(filter $(RUNTIME_NEWEST),$(1)),$(RUNTIME_OBJ),$(BUILD)/src/runtime/renamed-$(basename $(1)).o)
RENAMED := src/runtime/versioned/renamed
$(BUILD)/src/runtime/renamed-12.o: $(RENAMED)-12.txt
$(BUILD)/src/runtime/renamed-11.o: $(RENAMED)-12.txt $(RENAMED)-11.txt
$(BUILD)/src/runtime/renamed-12.o $(BUILD)/src/runtime/renamed-11.o: $(RUNTIME_OBJ)
	$(LD) -r -o $@ $(filter %.o,$^)
	$(OBJCOPY) $(patsubst %,--redefine-syms=%,$(filter %.txt,$^)) $@
$(foreach v,$(RUNTIME_VERSIONS),$(eval $(call runtime_version,$(v))))

# One object with everything the runtime needs, whose hidden names nobody outside can see or collide with.
$(BUILD)/lib/libcudart_static.a: $(RUNTIME_OBJ) $(call versioned_obj,$(RUNTIME_NEWEST)) $(BUILD)/libheddle.a
	@mkdir -p $(@D)
	$(LD) -r -o $(BUILD)/cudart_static.o $^
	$(OBJCOPY) --localize-hidden $(BUILD)/cudart_static.o
	@rm -f $@
	ar rcs $@ $(BUILD)/cudart_static.o

# No sanitizer: MPI's own libraries have none, and what they keep until the end would be reported.
$(BUILD)/lib/farm-mpi.so: src/farm/plug/mpi.c src/farm/transport.h
	@mkdir -p $(@D)
	$(MPICC) -std=gnu17 $(filter-out -fsanitize%,$(CFLAGS)) $(WARN) -fPIC -fvisibility=hidden -Isrc $(LDFLAGS) -shared -o $@ $<

# What leads a program's loader to these libraries, whatever paths the program has.
AUDIT_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard src/audit/*.c)))
# The loader calls the functions that link.h declares. Every process of a script loads this library, so it has no
# sanitizer, which must be there from a process's start.
$(AUDIT_OBJ): FILE_CFLAGS += -fvisibility=default -fno-sanitize=all
$(BUILD)/lib/libheddle-audit.so: $(AUDIT_OBJ)
	@mkdir -p $(@D)
	$(CC) $(filter-out -fsanitize%,$(CFLAGS)) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs -o $@ $^ -Wl,--as-needed -ldl

# Workloads: programs on the driver API, each with its PTX inside. They find heddle's libcuda in build/lib, or, once
# installed, in the folder above their own, by a path that LD_LIBRARY_PATH does not change (no new dtags): beside a GPU
# that variable may lead to the vendor's. `make workload-ptx` compiles the kernels anew, which needs nvcc and clang; the
# PTX is committed, so nothing else does.
WORKLOADS := $(sort $(patsubst workloads/%/host.c,%,$(wildcard workloads/*/host.c)))
WORKLOAD_BIN := $(WORKLOADS:%=$(BUILD)/workloads/%)
WORKLOAD_COMMON := $(sort $(wildcard workloads/common/*.[chS]))
workloads: $(WORKLOAD_BIN)
$(foreach name,$(WORKLOADS),$(eval $(BUILD)/workloads/$(name): $(wildcard workloads/$(name)/*.[ch] workloads/$(name)/*.ptx)))
$(WORKLOAD_BIN): $(BUILD)/workloads/%: workloads/%/host.c $(WORKLOAD_COMMON) include/cuda.h \
    $(BUILD)/lib/libcuda.so.1 | deps
	@mkdir -p $(@D)
	$(CC) -std=gnu17 $(CFLAGS) $(WARN) -ffp-contract=off -Iinclude -Iworkloads/common -Wa,-Iworkloads/$* \
	    $(if $(wildcard workloads/$*/nvcc-hints.ptx),-DWORK_HINTS) \
	    $(if $(wildcard workloads/$*/nvcc.ptx),,-DWORK_GENERATED) -o $@ $(wildcard workloads/$*/*.c) \
	    $(filter %.c %.S,$(WORKLOAD_COMMON)) \
	    -L$(BUILD)/lib -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/..:$$ORIGIN/../lib' -lcuda -lm

# nvrt-sync is nvrt with another kernel: its sources include those of nvrt.
$(BUILD)/workloads/nvrt-sync: workloads/nvrt/host.c workloads/nvrt/room.h
# gpu-mcml is mcml with another kernel and another skin.
$(BUILD)/workloads/gpu-mcml: workloads/mcml/host.c
$(BUILD)/workloads/xsbench $(BUILD)/workloads/rsbench: workloads/xsbench/reactor.h
$(BUILD)/workloads/mc-gpu: workloads/mc-gpu/tables.h

.PHONY: workload-ptx
workload-ptx:
	scripts/workload-ptx.sh

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(AUDIT_OBJ:.o=.d) $(RUNTIME_OBJ:.o=.d) \
    $(foreach v,$(RUNTIME_VERSIONS),$(patsubst %.o,%.d,$(call versioned_obj,$(v))))

# A make started by this one: on all cores, unless this one was given -j, whose jobs both then share. Recipes that use
# SUBMAKE need a + for that.
SUBMAKE = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))

.PHONY: demo
demo:
	@CC="$(CC)" scripts/deps.sh build --install
	@[ -x $(BUILD)/heddle ] || echo "Building heddle in $(BUILD)/, a minute or two..."
	+@$(SUBMAKE) -s all
	@scripts/demo.sh $(BUILD)/heddle

.PHONY: fmt
fmt:
	scripts/c-files.sh | xargs clang-format -i

# References are printed by the tables themselves, pictures and tables of pages by the runs that the pages name.
.PHONY: docs
docs: all $(BUILD)/tests/replay
	$(BUILD)/heddle list instructions --markdown > docs/instructions.md
	$(BUILD)/tests/replay rows tests/silicon/golden/ops.golden > $(BUILD)/rows.txt
	$(BUILD)/heddle list conformance $(BUILD)/rows.txt --markdown > docs/conformance.md
	$(BUILD)/heddle list stats --markdown > docs/statistics.md
	$(BUILD)/heddle list words --markdown > docs/glossary.md
	$(BUILD)/heddle compare examples/fork.ptx --block 16 --mech pdom,tbc --gpu tiny --set sm.scheduler=gto \
	    --trace-window 0:79 --trace-svg docs/lanes.svg
	$(BUILD)/heddle paper vws --size test --figure 18 --svg docs/figure-vws-18.svg
	scripts/workloads-page.sh $(BUILD)/heddle > $(BUILD)/page.md && cp $(BUILD)/page.md docs/workloads.md
	scripts/tutorial-pictures.sh $(BUILD)/heddle docs
	for page in docs/mechanisms.md docs/pictures.md docs/step.md docs/explain.md docs/tutorial.md docs/for-students.md; do \
	    scripts/page.sh $(BUILD)/heddle $$page > $(BUILD)/page.md && cp $(BUILD)/page.md $$page || exit 1; done
	for name in $(patsubst papers/%.md,%,$(wildcard papers/*.md)); do \
	    scripts/paper-page.sh $$name > $(BUILD)/page.md && cp $(BUILD)/page.md docs/papers/$$name.md || exit 1; done
	[ ! -e studies/which-mechanism.csv ] || \
	    { scripts/which-mechanism.sh > $(BUILD)/page.md && cp $(BUILD)/page.md docs/which-mechanism.md; }

.PHONY: clean
clean:
	rm -rf $(BUILD)

# heddle built with a profile of its own runs, in a folder of its own: make install BUILD=build-pgo installs it.
.PHONY: pgo
pgo: deps
	CC="$(CC)" scripts/pgo.sh build-pgo $(JOBS)

include tests/tests.mk
include packaging/packaging.mk
