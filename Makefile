# heddle: `make` builds everything; `make test` and `make demo` also install what they need. See README.md.
BUILD   ?= build
# What the command and the tests are linked with: a shared object lets them meet a changed library without being linked anew.
LIB     ?= $(BUILD)/libheddle.a
CC      ?= cc
VERSION := $(shell cat VERSION)

# -O3 for the lane loops; no contraction, since a fused multiply-add is another instruction; registers are
# reinterpreted between types all the time, hence no strict aliasing.
# The last two quiet clang: loops an unoptimised build cannot vectorise, rounding modes on aarch64.
WARN     = -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes \
           -Wno-pass-failed -Wno-unsupported-floating-point-opt
FP       = -ffp-contract=off -fno-math-errno -fno-trapping-math
CFLAGS  ?= -O3 -g
ALL_CFLAGS = -std=gnu17 $(CFLAGS) $(WARN) $(FP) -fno-strict-aliasing -fPIC -fvisibility=hidden -MMD -MP \
             -Isrc -Iinclude -I. -Itests/silicon -DHEDDLE_VERSION='"$(VERSION)"' $(EXTRA_CFLAGS)
# inih is linked in, and its names are kept out of what the libraries export. Debian has cJSON as a shared library only.
LDLIBS   = -l:libinih.a -Wl,--exclude-libs,libinih.a -Wl,--as-needed -lcjson -lm -lpthread

# Every folder of src/ but cli/ is the library.
CLI_SRC := $(sort $(wildcard src/cli/*.c))
LIB_SRC := $(filter-out $(CLI_SRC),$(sort $(wildcard src/*/*.c src/*/*/*.c)))
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)

.PHONY: all
all: deps $(BUILD)/heddle $(BUILD)/libheddle.so $(BUILD)/lib/libcuda.so.1 workloads

.PHONY: workloads

# The oracle computes in every rounding mode with ordinary C, so its compiler must not assume one.
$(BUILD)/src/oracle/%.o: EXTRA_CFLAGS += -frounding-math

$(BUILD)/%.o: %.c VERSION
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@

# Every file gpus/NAME.ini becomes part of the library, as machine NAME: the generated list has one line MACHINE(number, "NAME")
# per file. The folder is a prerequisite too, since its time changes when a file comes or goes. No compiler writes these
# dependencies.
MACHINE_FILES := $(sort $(wildcard gpus/*.ini))
MACHINE_LIST := $(BUILD)/generated/gpu/machines.def
$(MACHINE_LIST): gpus $(MACHINE_FILES)
	@mkdir -p $(@D)
	@number=0; for file in $(MACHINE_FILES); do name=$${file##*/}; echo "MACHINE($$number, \"$${name%.ini}\")"; \
	    number=$$((number + 1)); done >$@
$(BUILD)/src/gpu/builtin.o: EXTRA_CFLAGS += -I$(BUILD)/generated
$(BUILD)/src/gpu/builtin.o: $(MACHINE_LIST) $(MACHINE_FILES)
$(BUILD)/src/study/paper.o: $(wildcard papers/*)

$(BUILD)/libheddle.a: $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/heddle: $(CLI_OBJ) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(CLI_OBJ) $(LIB) $(LDLIBS)

$(BUILD)/libheddle.so: $(LIB_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libheddle.so -o $@ $^ $(LDLIBS)

# The same code under the name that driver-API programs look for.
$(BUILD)/lib/libcuda.so.1: $(LIB_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libcuda.so.1 -o $@ $^ $(LDLIBS)
	ln -sf libcuda.so.1 $(@D)/libcuda.so

# Workloads: programs on the driver API, each with its PTX inside. Their path to heddle's libcuda is one that
# LD_LIBRARY_PATH does not change (no new dtags): beside a GPU it may lead to the vendor's. `make workload-ptx` compiles the kernels
# anew, which needs nvcc; the PTX is committed, so nothing else does.
WORKLOADS := $(sort $(patsubst workloads/%/host.c,%,$(wildcard workloads/*/host.c)))
WORKLOAD_BIN := $(WORKLOADS:%=$(BUILD)/workloads/%)
WORKLOAD_COMMON := $(sort $(wildcard workloads/common/*.[chS]))
workloads: $(WORKLOAD_BIN)
$(WORKLOAD_BIN): $(BUILD)/workloads/%: workloads/%/host.c workloads/%/kernels.ptx $(WORKLOAD_COMMON) include/cuda.h \
    $(BUILD)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(CC) -std=gnu17 $(CFLAGS) $(WARN) -ffp-contract=off -Iinclude -Iworkloads/common -DWORK_PTX='"workloads/$*/kernels.ptx"' \
	    -o $@ $< $(filter-out %.h,$(WORKLOAD_COMMON)) -L$(BUILD)/lib \
	    -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib' -lcuda -lm

.PHONY: workload-ptx
NVCC ?= nvcc
workload-ptx:
	@set -e; for name in $(WORKLOADS); do $(NVCC) -ptx -arch=sm_75 workloads/$$name/kernels.cu -o workloads/$$name/kernels.ptx; done

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d)

.PHONY: clean
clean:
	rm -rf $(BUILD)

# ---- tests ----

TEST_CFLAGS = $(filter-out -fvisibility=hidden -Wmissing-prototypes,$(ALL_CFLAGS)) -DHEDDLE_SOURCE='"$(CURDIR)"'
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)
RANDOM_SRC := $(filter-out tests/random/main.c,$(sort $(wildcard tests/random/*.c)))
MANUAL_SRC := $(filter-out tests/manual/main.c,$(sort $(wildcard tests/manual/*.c)))
OP_CASE_SRC := $(addprefix tests/silicon/,op_case.c form.c emit.c values.c compute.c memory.c move.c place.c script.c scripts.c)
CASE_SRC := tests/silicon/case.c tests/silicon/corpus_case.c $(OP_CASE_SRC) $(RANDOM_SRC) $(MANUAL_SRC)
PROBE_SRC := $(sort $(wildcard tests/probes/*.c))
# Programs of several sources are compiled at once, and made anew when any header of the tests changes.
TEST_HEADERS := $(wildcard tests/*/*.h tests/*/*.def)
TEST_INPUTS = $(filter %.c %.a %.so,$^)
RANDOM_COUNT ?= 10000
MANUAL_COUNT ?= 1000
MECHANISMS := pdom pdom-lcp bcc scc tbc tbc-lcp tbc-dpe lwm dwf dwf-wb capri tstbc tstbc-auto dws dpe multipath \
    frontiers ws vws volta mimd
TIMED_COUNT ?= 6

$(BUILD)/tests/test_%: tests/unit/test_%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) -lcmocka $(LDLIBS)

-include $(UNIT_BIN:=.d)

PROBE_TESTS := $(BUILD)/tests/test_probes $(BUILD)/tests/test_probes_timed
$(PROBE_TESTS): $(BUILD)/tests/%: tests/unit/%.c $(PROBE_SRC) $(LIB) $(TEST_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) $(LDFLAGS) -o $@ $(TEST_INPUTS) -lcmocka $(LDLIBS)

$(BUILD)/tests/test_agree: tests/unit/test_agree.c tests/agree/trace.c $(LIB) $(TEST_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) $(LDFLAGS) -o $@ $(TEST_INPUTS) -lcmocka $(LDLIBS)

$(BUILD)/tests/agree: tests/agree/agree.c tests/agree/trace.c $(CASE_SRC) $(sort $(wildcard tests/corpus/*.c)) $(LIB) $(TEST_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) $(LDFLAGS) -o $@ $(TEST_INPUTS) $(LDLIBS)

$(BUILD)/tests/timed: tests/agree/timed.c tests/agree/trace.c tests/agree/knobs.c tests/agree/predictions.c $(PROBE_SRC) $(CASE_SRC) $(LIB) $(TEST_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) $(LDFLAGS) -o $@ $(TEST_INPUTS) $(LDLIBS)

$(BUILD)/tests/fuzz-replay: tests/fuzz/fuzz_ptx.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) $(LDFLAGS) -DREPLAY -o $@ $< $(LIB) $(LDLIBS)

$(BUILD)/tests/random-ptx: tests/random/main.c $(RANDOM_SRC) tests/silicon/case.c $(TEST_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) $(LDFLAGS) -o $@ $(TEST_INPUTS)

$(BUILD)/tests/manual-ptx: tests/manual/main.c $(MANUAL_SRC) tests/silicon/case.c $(LIB) $(TEST_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) $(LDFLAGS) -o $@ $(TEST_INPUTS)

$(BUILD)/bench/%: bench/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS)

.PHONY: bench
bench: deps
	@$(MAKE) --no-print-directory $(BUILD)/bench/bench $(BUILD)/bench/memory
	$(BUILD)/bench/bench bench
	$(BUILD)/bench/memory

.PHONY: deps test-deps
deps:
	@scripts/deps.sh build
test-deps:
	@scripts/deps.sh test

# The README's two commands. They install first, so the rest runs in a make of its own.
.PHONY: test test-all demo
test: test-deps
	@$(MAKE) --no-print-directory -j$(JOBS) all tests
	@$(MAKE) --no-print-directory check
test-all: test-deps
	@$(MAKE) --no-print-directory -j$(JOBS) all tests
	@$(MAKE) --no-print-directory check RANDOM_COUNT=100000 MANUAL_COUNT=30000 TIMED_COUNT=2000
demo: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@scripts/demo.sh $(BUILD)/heddle

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
REPLAY = $(BUILD)/tests/replay
GOLDEN = tests/silicon/golden
ON_ORACLE = HEDDLE_OPTS="--executor oracle"

.PHONY: tests check
tests: $(UNIT_BIN) $(BUILD)/tests/agree $(BUILD)/tests/timed $(BUILD)/tests/replay $(BUILD)/tests/fuzz-replay $(BUILD)/tests/manual-ptx

check:
	CC="$(CC)" tests/structure.sh
	$(CLI_ENV) tests/docs.sh $(BUILD)/heddle
	tests/clang.sh $(BUILD)
	@for t in $(UNIT_BIN); do tests/quiet.sh $$t || exit 1; done
	$(CLI_ENV) tests/cli/run.sh $(BUILD)/heddle
	$(CLI_ENV) tests/cli/trace/run.sh $(BUILD)/heddle
	$(CLI_ENV) tests/cli/study/run.sh $(BUILD)/heddle
	$(CLI_ENV) tests/cli/recon/run.sh $(BUILD)/heddle
	$(CLI_ENV) tests/cli/large/run.sh $(BUILD)/heddle
	$(CLI_ENV) tests/workloads/run.sh $(BUILD)/heddle
	CC="$(CC)" CFLAGS="$(CFLAGS)" tests/driver/run.sh $(BUILD)
	CC="$(CC)" CFLAGS="$(CFLAGS)" tests/validate/vote/run.sh $(BUILD)
	$(REPLAY) ops --check $(GOLDEN)/ops.golden
	$(ON_ORACLE) $(REPLAY) ops --check $(GOLDEN)/ops.golden
	$(REPLAY) corpus --corpus tests/corpus --check $(GOLDEN)/corpus.golden
	$(ON_ORACLE) $(REPLAY) corpus --corpus tests/corpus --check $(GOLDEN)/corpus.golden
	$(REPLAY) random --check $(GOLDEN)/random.golden
	$(ON_ORACLE) $(REPLAY) random --check $(GOLDEN)/random.golden
	$(REPLAY) manual --check $(GOLDEN)/manual.golden
	$(ON_ORACLE) $(REPLAY) manual --check $(GOLDEN)/manual.golden
	$(REPLAY) corpus --corpus tests/kept --check $(GOLDEN)/kept.golden
	$(BUILD)/tests/agree ops
	$(BUILD)/tests/agree corpus tests/corpus
	$(BUILD)/tests/agree random 1 $(RANDOM_COUNT)
	$(BUILD)/tests/agree manual 1 $(MANUAL_COUNT)
	tests/agree/matrix.sh $(BUILD)/tests/timed $(TIMED_COUNT)
	@set -e; first=1; for gpu in fermi tiny volta; do for mech in $(MECHANISMS); do \
	    $(BUILD)/tests/timed $$gpu $$mech manual $$first $(TIMED_COUNT); first=$$((first + $(TIMED_COUNT))); done; done
	$(BUILD)/tests/timed vws vws manual 1 $(TIMED_COUNT)
	$(BUILD)/tests/timed vws probe-gangs random 1 $(TIMED_COUNT) sm.slice_lanes=4
	$(BUILD)/tests/timed tiny example-split random 1 $(TIMED_COUNT)
	@set -e; for mech in pdom tbc tbc-dpe lwm dwf capri dws dpe multipath frontiers; do $(BUILD)/tests/timed fermi $$mech corpus tests/corpus; done
	$(BUILD)/tests/timed vws vws corpus tests/corpus
	$(BUILD)/tests/timed --predict tiny volta random 1 $(TIMED_COUNT)
	$(BUILD)/tests/timed --predict --every-cycle --any-knobs volta volta random 1 $(TIMED_COUNT)
	$(BUILD)/tests/timed volta volta corpus tests/corpus
	@set -e; for mech in pdom tbc tbc-dpe lwm dwf dwf-wb capri tstbc dws dpe multipath frontiers ws vws volta mimd probe-regroup probe-gangs probe-barriers; do \
	    $(BUILD)/tests/timed --every-cycle --twice --any-knobs fermi $$mech random 1 $(TIMED_COUNT); done
	$(BUILD)/tests/timed --every-cycle --any-knobs vws vws random 1 $(TIMED_COUNT)
	$(BUILD)/tests/timed --every-cycle volta ws random 1 $(TIMED_COUNT) sm.fetch=icache
	$(BUILD)/tests/timed --any-knobs fx5800 ws manual 5019837 1 # narrow warps that wait for each other at two votes
	$(BUILD)/tests/agree corpus tests/kept
	tests/kept/run.sh $(BUILD)/tests/timed
	$(BUILD)/tests/fuzz-replay tests/fuzz/corpus/*
	@echo "all tests passed"

# The tests again under AddressSanitizer and UBSan, in a build of their own.
# Leaks are looked for in the long-lived library (unit tests, replays, fuzzing), not in each run of the command.
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# HEDDLE_CHECKS: mechanisms and counters are checked after every event and launch.
STRESS_CFLAGS = -O1 -g -DHEDDLE_CHECKS $(SANITIZE)
.PHONY: stress
stress: test-deps
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build-stress CFLAGS="$(STRESS_CFLAGS)" all tests
	@$(MAKE) --no-print-directory BUILD=build-stress CFLAGS="$(STRESS_CFLAGS)" RANDOM_COUNT=500 MANUAL_COUNT=200 TIMED_COUNT=2 \
	    CLI_ENV="env ASAN_OPTIONS=detect_leaks=0" check

# Breaks COUNT rules of the model one at a time, drawn by SEED, and lists those that no test misses.
COUNT ?= 100
SEED ?= 1
.PHONY: mutants
mutants: test-deps
	tests/mutants/run.sh $(COUNT) $(SEED) $(JOBS)

# Coverage-guided fuzzing of the parser and all behind it; FUZZ_SECONDS each on two processes.
FUZZ_SECONDS ?= 900
FUZZ_CLANG ?= clang
.PHONY: fuzz
fuzz:
	@scripts/deps.sh fuzz
	@mkdir -p build-fuzz/found build-fuzz/corpus
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build-fuzz CC=$(FUZZ_CLANG) \
	    CFLAGS="-O1 -g -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined" \
	    build-fuzz/libheddle.a
	$(FUZZ_CLANG) -std=gnu17 -O1 -g -fsanitize=address,undefined,fuzzer -fno-sanitize-recover=undefined -Isrc \
	    -o build-fuzz/fuzz_ptx tests/fuzz/fuzz_ptx.c build-fuzz/libheddle.a $(LDLIBS)
	cd build-fuzz && ./fuzz_ptx -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=4096 -max_len=20000 \
	    -dict=../tests/fuzz/ptx.dict -jobs=2 -workers=2 -artifact_prefix=found/ corpus ../tests/fuzz/corpus

.PHONY: fmt
fmt:
	clang-format -i $(shell find src include tests bench -name '*.[ch]')

# References are printed by the tables themselves.
.PHONY: docs
docs: all
	$(BUILD)/heddle list instructions --markdown > docs/instructions.md
	$(BUILD)/heddle list stats --markdown > docs/statistics.md
	$(BUILD)/heddle compare examples/fork.ptx --block 16 --mech pdom,tbc --gpu tiny --set sm.scheduler=gto \
	    --trace-window 0:79 --trace-svg docs/lanes.svg
	scripts/page.sh $(BUILD)/heddle docs/mechanisms.md > $(BUILD)/page.md && cp $(BUILD)/page.md docs/mechanisms.md

# Replays what silicon recorded, through the driver API: the same source that recorded it.
REPLAY_SRC := $(sort $(wildcard tests/silicon/*.c)) $(RANDOM_SRC) $(MANUAL_SRC)

$(BUILD)/tests/replay: $(REPLAY_SRC) $(LIB) $(BUILD)/lib/libcuda.so.1 $(TEST_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) -DHAVE_ZSTD $(LDFLAGS) -o $@ $(REPLAY_SRC) \
	    -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/../lib' -lcuda $(LIB) -lzstd $(LDLIBS)
