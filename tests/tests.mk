# The tests of heddle, and what else runs programs to judge them: bench, stress, mutants, fuzz. Part of the Makefile.

RANDOM_COUNT ?= 4000
MANUAL_COUNT ?= 1000
TIMED_COUNT  ?= 6

.PHONY: test-deps
test-deps:
	@CC="$(CC)" scripts/deps.sh test

# ---- programs ----

# Tests are compiled with little optimisation, which takes a third of the time; the library that they run is optimised
# all the same.
TEST_CFLAGS = $(patsubst -O3,-O1,$(filter-out -fvisibility=hidden -Wmissing-prototypes,$(ALL_CFLAGS))) \
    -I. -Itests/silicon -DHEDDLE_SOURCE='"$(CURDIR)"'
OBJ = $(BUILD)/obj

$(OBJ)/tests/%.o: tests/%.c | test-deps
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) -c $< -o $@

# objects FILE.c...
objects = $(patsubst %.c,$(OBJ)/%.o,$(1))
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)
RUNTIME_UNIT_BIN := $(filter $(BUILD)/tests/test_runtime%,$(UNIT_BIN))
REGISTERED_OBJ := $(call objects,tests/runtime/registered.c)
RANDOM_OBJ := $(call objects,$(filter-out tests/random/main.c,$(sort $(wildcard tests/random/*.c))))
MANUAL_OBJ := $(call objects,$(filter-out tests/manual/main.c,$(sort $(wildcard tests/manual/*.c))))
PROBE_OBJ := $(call objects,$(sort $(wildcard tests/probes/*.c)))
REPLAY_OBJ := $(call objects,$(sort $(wildcard tests/silicon/*.c))) $(RANDOM_OBJ) $(MANUAL_OBJ)
CASE_OBJ := $(call objects,$(addprefix tests/silicon/,case.c corpus_case.c op_case.c form.c emit.c values.c compute.c packed.c \
    matrix.c memory.c move.c texture.c place.c script.c scripts.c scripts_async.c)) $(RANDOM_OBJ) $(MANUAL_OBJ)
CORPUS_OBJ := $(call objects,$(sort $(wildcard tests/corpus/*.c)))
BINARY_OBJ := $(call objects,tests/binary/fatbin_writer.c)
MUTATE_OBJ := $(call objects,tests/binary/mutate.c tests/binary/check_image.c)
agree_objects = $(call objects,$(1:%=tests/agree/%.c))

TEST_OBJ := $(sort $(call objects,$(UNIT_SRC) $(wildcard tests/agree/*.c tests/origins/*.c tests/rewrite/*.c) tests/fuzz/fuzz_ptx.c tests/random/main.c \
    tests/manual/main.c) $(PROBE_OBJ) $(REPLAY_OBJ) $(CORPUS_OBJ) $(REGISTERED_OBJ) \
    $(BINARY_OBJ) $(MUTATE_OBJ))
-include $(TEST_OBJ:.o=.d)

$(call objects,tests/unit/test_options.c): VERSION
$(call objects,tests/unit/test_options.c): FILE_CFLAGS += $(VERSION_CFLAGS)
$(call objects,tests/silicon/golden.c): FILE_CFLAGS += -DHAVE_ZSTD
$(call objects,tests/fuzz/fuzz_ptx.c): FILE_CFLAGS += -DREPLAY

# Libraries come after all objects.
LINK_TEST = $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a %.so,$^)

$(filter-out $(RUNTIME_UNIT_BIN),$(UNIT_BIN)): $(BUILD)/tests/%: $(OBJ)/tests/unit/%.o $(LIB)
	@mkdir -p $(@D)
	$(LINK_TEST) -lcmocka $(LDLIBS)

# Tests of the CUDA runtime are programs on the library of one version: test_runtime_* on the newest, test_runtime12_* and
# test_runtime11_* on an older one. They and the library find the driver in build/lib, with a sanitizer, too (no new dtags).
runtime_test_lib = $(BUILD)/lib/libcudart.so.$(if $(findstring test_runtime12_,$(1)),12,$(if $(findstring \
    test_runtime11_,$(1)),11.0,$(RUNTIME_NEWEST)))
$(RUNTIME_UNIT_BIN): $(BUILD)/tests/%: $(OBJ)/tests/unit/%.o $(REGISTERED_OBJ) $(RUNTIME_LIBS) $(BUILD)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(call runtime_test_lib,$@) \
	    -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib' -lcmocka -ldl -lpthread

$(BUILD)/tests/test_probes $(BUILD)/tests/test_probes_timed: $(PROBE_OBJ)
$(BUILD)/tests/test_fatbin $(BUILD)/tests/test_driver_link: $(BINARY_OBJ)
$(BUILD)/tests/test_agree: $(call agree_objects,trace textures)
$(BUILD)/tests/test_texts: $(filter-out %/main.o,$(CLI_OBJ))

$(BUILD)/tests/agree: $(call agree_objects,agree trace textures) $(CASE_OBJ) $(CORPUS_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(LINK_TEST) $(LDLIBS)

$(BUILD)/tests/timed: $(call agree_objects,timed trace textures knobs predictions taped) $(PROBE_OBJ) $(CASE_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(LINK_TEST) $(LDLIBS)

$(BUILD)/tests/rewritten: $(call objects,$(sort $(wildcard tests/rewrite/*.c))) $(call agree_objects,trace textures) $(CASE_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(LINK_TEST) $(LDLIBS)

# The check of origins gets the accesses that the engine tells the race check of, and launches of the driver come to it first.
$(BUILD)/tests/origins: $(call objects,tests/origins/main.c tests/origins/check.c tests/origins/pointers.c) \
    $(call agree_objects,trace textures) $(CASE_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(LINK_TEST) -Wl,--wrap=race_access $(LDLIBS)

$(BUILD)/tests/origins-libcuda.so.1: $(DRIVER_OBJ) $(call objects,tests/origins/driver.c tests/origins/check.c) packaging/exports.map
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $(EXPORTS) -shared -Wl,-z,nodelete -Wl,-soname,libcuda.so.1 -Wl,--wrap=race_access \
	    -Wl,--wrap=functional_launch -o $@ $(filter %.o,$^) $(LDLIBS)

$(BUILD)/tests/fuzz-replay: $(call objects,tests/fuzz/fuzz_ptx.c) $(LIB)
	@mkdir -p $(@D)
	$(LINK_TEST) $(LDLIBS)

$(BUILD)/tests/mutate: $(MUTATE_OBJ) $(BINARY_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(LINK_TEST) $(LDLIBS)

$(BUILD)/tests/random-ptx: $(call objects,tests/random/main.c tests/silicon/case.c) $(RANDOM_OBJ)
	@mkdir -p $(@D)
	$(LINK_TEST)

$(BUILD)/tests/manual-ptx: $(call objects,tests/manual/main.c tests/silicon/case.c) $(MANUAL_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(LINK_TEST) $(LDLIBS)

# Replays what silicon recorded, through the driver API: the same source that recorded it.
$(BUILD)/tests/replay: $(REPLAY_OBJ) $(LIB) $(BUILD)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(REPLAY_OBJ) -L$(BUILD)/lib \
	    -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib' -lcuda $(LIB) -lzstd \
	    $(LDLIBS)

.PHONY: tests
tests: $(UNIT_BIN) $(addprefix $(BUILD)/tests/,agree timed rewritten origins origins-libcuda.so.1 replay fuzz-replay mutate manual-ptx random-ptx)

# ---- running them ----

# The README's command. Packages are installed first, so the rest runs in a make of its own.
.PHONY: test test-all stress
test: TEST_MAKE = $(SUBMAKE)
test-all: TEST_MAKE = $(SUBMAKE) RANDOM_COUNT=100000 MANUAL_COUNT=30000 TIMED_COUNT=2000 FIGURES=all
test test-all:
	@CC="$(CC)" scripts/deps.sh test --install
	@echo "Building heddle and its tests in $(BUILD)/..."
	+@$(TEST_MAKE) -s all tests
	+@$(TEST_MAKE) check

# Runs all parts of tests/parts.sh, or those whose names match ONLY. Some send SIGHUP, which nohup has them ignore.
.PHONY: check
check:
	@BUILD="$(BUILD)" CC="$(CC)" CFLAGS="$(CFLAGS)" CLI_ENV="$(CLI_ENV)" FIGURES="$(FIGURES)" \
	    RANDOM_COUNT="$(RANDOM_COUNT)" MANUAL_COUNT="$(MANUAL_COUNT)" TIMED_COUNT="$(TIMED_COUNT)" \
	    tests/parts.sh >$(BUILD)/parts
	@env --default-signal=HUP tests/run_parts.sh $(JOBS) $(ONLY:%='%') <$(BUILD)/parts

# The tests again under AddressSanitizer and UBSan, in a build of their own.
# Leaks are looked for in the long-lived library (unit tests, replays, fuzzing), not in each run of the command.
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# HEDDLE_CHECKS: mechanisms and counters are checked after every event and launch.
STRESS_CFLAGS = -O1 -g -DHEDDLE_CHECKS $(SANITIZE)
stress:
	@CC="$(CC)" scripts/deps.sh test --install
	+@$(SUBMAKE) -s BUILD=build-stress CFLAGS="$(STRESS_CFLAGS)" all tests
	+@$(SUBMAKE) BUILD=build-stress CFLAGS="$(STRESS_CFLAGS)" RANDOM_COUNT=500 MANUAL_COUNT=200 TIMED_COUNT=2 \
	    FIGURES=none CLI_ENV="env ASAN_OPTIONS=detect_leaks=0" check

# Breaks COUNT rules of the model one at a time, drawn by SEED, and lists those that no test misses.
COUNT ?= 100
SEED ?= 1
.PHONY: mutants
mutants:
	@CC="$(CC)" scripts/deps.sh test --install
	tests/mutants/run.sh $(COUNT) $(SEED) $(JOBS)

# Coverage-guided fuzzing of the parser and all behind it; FUZZ_SECONDS each on two processes.
FUZZ_SECONDS ?= 900
FUZZ_CLANG ?= clang
.PHONY: fuzz
fuzz:
	@scripts/deps.sh fuzz --install
	@mkdir -p build-fuzz/found build-fuzz/corpus
	+@$(SUBMAKE) BUILD=build-fuzz CC=$(FUZZ_CLANG) \
	    CFLAGS="-O1 -g -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined" \
	    build-fuzz/libheddle.a
	$(FUZZ_CLANG) -std=gnu17 -O1 -g -fsanitize=address,undefined,fuzzer -fno-sanitize-recover=undefined -Isrc \
	    -o build-fuzz/fuzz_ptx tests/fuzz/fuzz_ptx.c build-fuzz/libheddle.a $(LDLIBS)
	$(FUZZ_CLANG) -std=gnu17 -O1 -g -fsanitize=address,undefined,fuzzer -fno-sanitize-recover=undefined -Isrc -I. \
	    -o build-fuzz/fuzz_binary tests/fuzz/fuzz_binary.c tests/binary/check_image.c build-fuzz/libheddle.a $(LDLIBS)
	cd build-fuzz && ./fuzz_ptx -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=4096 -max_len=20000 \
	    -dict=../tests/fuzz/ptx.dict -jobs=2 -workers=2 -artifact_prefix=found/ corpus ../tests/fuzz/corpus
	@mkdir -p build-fuzz/corpus-binary && $(MAKE) -s $(BUILD)/tests/mutate && \
	    $(BUILD)/tests/mutate --seeds build-fuzz/corpus-binary
	cd build-fuzz && ./fuzz_binary -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=4096 -max_len=20000 \
	    -jobs=2 -workers=2 -artifact_prefix=found/ corpus-binary

# ---- speed ----

$(BUILD)/bench/%: bench/%.c $(LIB) | deps
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -I. $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS)

-include $(wildcard $(BUILD)/bench/*.d)

.PHONY: bench
bench: $(BUILD)/bench/bench $(BUILD)/bench/memory
	$(BUILD)/bench/bench bench
	$(BUILD)/bench/memory
	+scripts/bench.sh $(BUILD)
