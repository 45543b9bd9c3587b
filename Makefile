# heed: `make deps run` trains a tagger, `make deps test` checks everything, `make help` lists the rest.
#
# Variables: CXX=clang++   CXXFLAGS=, LDFLAGS= (added last)   OPT=-O3   ARCH=-march=native   BUILD=build
# OPENBLAS=/opt/openblas (its prefix, when it is in no usual place)   GEMM=onednn (for products of floats, see ARCHITECTURE.md)
# PREFIX=/usr/local   DESTDIR=   V=1 (show commands)

ifeq ($(origin CXX),default)
CXX := g++
endif
ARCH    ?= -march=native
OPT     ?= -O3
BUILD   ?= build
GEMM    ?= openblas
PREFIX  ?= /usr/local
VERSION := 0.1.0
$(if $(filter-out openblas onednn,$(GEMM)),$(error GEMM is openblas or onednn, not "$(GEMM)"))

# What only parses arguments or checks results is optimised less, to build faster.
QUICK = $(filter tests/% models/heed.cpp %/commands.cpp %/flags.cpp models/program/% %/model_file.cpp nn/checkpoint.cpp,$<)
MODE  = -std=c++20 $(if $(QUICK),$(OPT:-O3=-O1),$(OPT)) $(ARCH) -fno-math-errno -fopenmp-simd -pthread
WARN  = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wdouble-promotion $(if $(findstring clang,$(CXX)),-Wno-pass-failed)
FOUND = $(foreach goal,build test bench,$(file <$(BUILD)/needs-$(goal)))
# What goes into the shared library, with calls within it as direct as elsewhere.
PIC   = $(if $(filter $(call float,$(LIBRARY)),$@),-fPIC -fno-semantic-interposition)
FLAGS = $(MODE) $(PIC) $(WARN) -I. $(sort $(filter -isystem%,$(FOUND))) -DHEED_VERSION=\"$(VERSION)\" $(CXXFLAGS)
STAMP = $(CXX) $(MODE) -fPIC $(WARN) $(VERSION) $(CXXFLAGS) $(LDFLAGS) $(OPENBLAS)
LIBS  = $(filter-out -isystem%,$(file <$(BUILD)/needs-build))
BLAS  = $(strip $(filter-out -lutf8proc -lpng,$(LIBS)))
export CXX CXXFLAGS LDFLAGS OPENBLAS GEMM BUILD MAKE

LIBRARY := $(wildcard tensor/*.cpp autograd/*.cpp nn/*.cpp nn/*/*.cpp)
HEADERS := heed.hpp $(wildcard tensor/*.hpp autograd/*.hpp nn/*.hpp nn/*/*.hpp)
MODELS  := $(filter-out models/heed.cpp,$(wildcard models/*.cpp models/*/*.cpp))
# The library's own tests run in both precisions, those of models and data in float.
TESTS_BOTH  := $(wildcard tests/tensor/*.cpp tests/autograd/*.cpp tests/nn/*.cpp tests/nn/*/*.cpp)
TESTS_FLOAT := $(wildcard tests/data/*.cpp tests/models/*.cpp)
FUZZED      := tests/fuzz/fuzz.cpp $(wildcard tensor/*.cpp models/data/*.cpp) autograd/var.cpp nn/checkpoint.cpp nn/file.cpp nn/module.cpp
BENCHES     := $(wildcard bench/*.cpp)
TUTORIALS   := $(wildcard tutorials/*.cpp tutorials/*/main.cpp)

float  = $(patsubst %.cpp,$(BUILD)/float/%.o,$(1))
double = $(patsubst %.cpp,$(BUILD)/double/%.o,$(1))
FLOAT_OBJECTS  := $(call float,$(LIBRARY) $(MODELS) models/heed.cpp tests/main.cpp tests/fuzz/fuzz.cpp $(TESTS_BOTH) $(TESTS_FLOAT) $(BENCHES) $(TUTORIALS))
DOUBLE_OBJECTS := $(call double,$(LIBRARY) $(TESTS_BOTH))
LIBRARIES      := libheed.a libheed64.a $(if $(filter-out Darwin,$(shell uname)),libheed.so)

.DEFAULT_GOAL := help
.PHONY: help all libraries run tests test-train test check sanitize fuzz instructions bench bench-peers bench-lengths bench-mixers format format-check lint docs deps install uninstall count clean FORCE
.DELETE_ON_ERROR:
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

help:  ## this text
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | awk -F'\t' '{printf "  make %-16s %s\n", $$1, $$2}'

all: $(BUILD)/heed $(BUILD)/libheed.a  ## build the program and the library
libraries: $(LIBRARIES:%=$(BUILD)/%)  ## build the library, static and shared, and that of doubles

run: $(BUILD)/heed  ## train the tagger on its built-in corpus and show what it learned
	@$(BUILD)/heed pos demo

tests: $(BUILD)/tests-float $(BUILD)/tests-double  ## build the test programs

test: all libraries tests  ## run all tests, the library's in float and in double
	@tests/run.sh

test-train: $(BUILD)/tests-float  ## train models on the tasks that their pages name; minutes
	@DOCTEST='--no-skip -tc=train:*' tests/run.sh $(BUILD)/tests-float

check: test sanitize format-check lint  ## test, sanitize, format-check and lint

# What the sanitizers see of libFuzzer's counters is there for `fuzz`, which shares the objects.
SANITIZED = $(BUILD)/sanitize OPT='-O1 -g' CXXFLAGS='-fsanitize=address,undefined$(if $(findstring clang,$(CXX)),$(comma)fuzzer-no-link) \
  -fno-sanitize-recover=all -DHEED_POISON $(CXXFLAGS)'
comma := ,
# Buffers start as NaN (HEED_POISON). OpenBLAS is not instrumented: threads are checked where only heed's own run.
sanitize: $(BUILD)/needs-sanitize  ## run the tests under the address, undefined-behaviour and thread sanitizers
	@$(MAKE) --no-print-directory $(BUILD)/sanitize/tests-float BUILD=$(SANITIZED)
	@$(MAKE) --no-print-directory $(BUILD)/tsan/tests-double BUILD=$(BUILD)/tsan OPT='-O1 -g' \
	  TESTS_BOTH='$(wildcard tests/tensor/*.cpp)' CXXFLAGS='-fsanitize=thread $(CXXFLAGS)'
	@DOCTEST='-tce=*slow*,cost*,*1 000 000*' tests/run.sh $(BUILD)/sanitize/tests-float
	@DOCTEST='-tc=*thread*' HEED_THREADS=4 $$(setarch -R true 2>/dev/null && echo setarch -R) \
	  tests/run.sh $(BUILD)/tsan/tests-double

# libFuzzer is clang's.
fuzz:  ## run every reader of files on made-up bytes, FUZZ_SECONDS=60 each (READERS= names some)
ifeq ($(findstring clang,$(CXX)),)
	@$(MAKE) --no-print-directory fuzz CXX=clang++ BUILD=$(BUILD)/clang
else
	@$(MAKE) --no-print-directory $(BUILD)/sanitize/fuzz BUILD=$(SANITIZED)
	@BUILD=$(BUILD)/sanitize tests/run.sh tests/fuzz/run.sh
endif

instructions:  ## count the instructions of small cases, compare with bench/instructions.txt (UPDATE=1 accepts them)
	@tests/run.sh bench/instructions.sh

bench: $(BUILD)/bench/ops  ## build and run the benchmarks (BENCH= holds their options)
	@$< $(BENCH)

bench-peers: $(BUILD)/bench/ops $(BUILD)/bench/step  ## compare with PyTorch, renew bench/RESULTS.md (PEERS= holds options)
	@bench/peers.py $(PEERS)

bench-lengths: $(BUILD)/bench/length  ## time attention as sequences grow, write bench/LENGTHS.md (LENGTHS= holds options)
	@bench/lengths.py $(LENGTHS)

bench-mixers: $(BUILD)/bench/length  ## time all mixers as sequences grow, write bench/MIXERS.md (MIXERS= holds options)
	@bench/mixers.py $(MIXERS)

FORMATTED = heed.hpp $(shell find tensor autograd nn models tutorials tests bench -name '*.[ch]pp' 2>/dev/null)
format: $(BUILD)/needs-format  ## format the sources
	@clang-format -i $(FORMATTED)

format-check: $(BUILD)/needs-format  ## check that the sources are formatted
	@clang-format --dry-run --Werror $(FORMATTED)

lint: $(patsubst %.cpp,$(BUILD)/lint/%,$(LIBRARY) $(wildcard models/heed.cpp) $(MODELS) $(TUTORIALS))  ## run clang-tidy on what changed

docs: $(BUILD)/needs-docs  ## write the reference of the library, build/docs/html
	@mkdir -p $(BUILD)/docs && VERSION=$(VERSION) OUTPUT=$(BUILD)/docs doxygen docs/Doxyfile

deps:  ## install what is missing to build and test; with DEV=1 also what check and bench need
	@.ci/needs --install build test $(if $(DEV),sanitize instructions bench tutorials site format lint clang consumer docs shells browser)

DEST      = $(DESTDIR)$(PREFIX)
PACKAGE   = $(foreach bits,. 64.,pkgconfig/heed$(bits)pc) cmake/heed/heedConfig.cmake cmake/heed/heedConfigVersion.cmake
SHARED    = $(filter %.so,$(LIBRARIES))
SUFFIX    = $(if $(SHARED),so,a)
MANUAL    = $(addprefix share/,man/man1/heed.1 bash-completion/completions/heed zsh/site-functions/_heed)
INSTALLED = bin/heed $(MANUAL) $(LIBRARIES:%=lib/%) $(SHARED:%=lib/%.$(VERSION)) $(PACKAGE:%=lib/%) $(HEADERS:%=include/heed/%)
empty    :=
install: all libraries  ## install the program, the libraries and their headers below PREFIX (and DESTDIR)
	@mkdir -p $(addprefix $(DEST)/,$(sort $(dir $(INSTALLED))))
	@install -m 755 $(BUILD)/heed $(DEST)/bin
	@set -- man 'completion bash' 'completion zsh'; for file in $(MANUAL); do \
	  $(BUILD)/heed $$1 >$(DEST)/$$file || exit 1; shift; done
	@install -m 644 $(LIBRARIES:%=$(BUILD)/%) $(DEST)/lib
	@for file in $(SHARED); do mv $(DEST)/lib/$$file $(DEST)/lib/$$file.$(VERSION) && \
	  ln -s $$file.$(VERSION) $(DEST)/lib/$$file || exit 1; done
	@for file in $(HEADERS); do install -m 644 $$file $(DEST)/include/heed/$$file || exit 1; done
	@for file in $(PACKAGE); do case $$file in *64*) bits=64 ;; *) bits= ;; esac; \
	  sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e "s|@BITS@|$$bits|" \
	    -e "s|@DEFINE@|$${bits:+-DHEED_DOUBLE=1}|" -e 's|@BLAS@|$(BLAS)|' -e 's|@BLAS_LIST@|$(subst $(empty) ,;,$(BLAS))|' \
	    -e 's|@SUFFIX@|$(SUFFIX)|' \
	    packaging/$$(basename $$file | tr -d 0-9).in >$(DEST)/lib/$$file || exit 1; done

uninstall:  ## remove what install put there
	@rm -f $(addprefix $(DEST)/,$(INSTALLED))
	@find $(DEST)/include/heed $(DEST)/lib/cmake/heed -type d -empty -delete 2>/dev/null || true

count:  ## count the lines of code, without comments and blank lines
	@for folder in tensor autograd nn models tutorials tests bench; do printf '%6d  %s\n' \
	  $$(find $$folder -name '*.[ch]pp' -exec cat {} + | grep -cvE '^ *(//.*)?$$') $$folder; done

clean:  ## remove everything that was built
	rm -rf $(BUILD)

# ---- how things are built ----------------------------------------------------------------------------------------------

# Changes when the compiler or the flags do; everything compiled depends on it. Only one source depends on the engine.
$(BUILD)/flags $(BUILD)/engine: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(if $(filter %engine,$@),$(GEMM),$(STAMP)))' | cmp -s - $@ || \
	  echo '$(subst ','\'',$(if $(filter %engine,$@),$(GEMM),$(STAMP)))' >$@

# The page of a program as a string of it.
$(BUILD)/generated/%.inc: %.html
	@mkdir -p $(@D) && { printf 'R"page('; cat $<; printf ')page"'; } >$@
$(call float,models/show/output.cpp): | $(BUILD)/generated/models/show/page.inc

# What has to be installed, see .ci/needs. `deps`, when it is among the goals, comes before everything that needs it.
NEEDS := $(addprefix $(BUILD)/needs-,build test bench sanitize tutorials site format lint docs)
$(NEEDS): $(BUILD)/needs-%: $(BUILD)/flags .ci/needs | $(filter deps,$(MAKECMDGOALS))
	@flags=$$(.ci/needs $*) && echo "$$flags" >$@

compile = $(if $(V),,@echo '  $@' && )mkdir -p $(@D) && $(CXX) $(FLAGS) $(1) $(FLAGS_$<) -MMD -MP -c $< -o $@
link    = $(if $(V),,@echo '  $@' && )mkdir -p $(@D) && $(CXX) $(MODE) $(CXXFLAGS) $(LDFLAGS) $^ -o $@ $(LIBS)
archive = $(if $(V),,@echo '  $@' && )rm -f $@ && ar rcs $@ $^
share   = $(if $(V),,@echo '  $@' && )$(CXX) $(MODE) $(CXXFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F).$(VERSION) $^ -o $@ $(BLAS)

# The same random numbers from every compiler: no contraction of multiply and add.
FLAGS_tensor/rng.cpp := -ffp-contract=off
FLAGS_models/program/info.cpp := -DHEED_FLAGS='"$(OPT) $(ARCH) $(CXXFLAGS)"'
FLAGS_models/show/output.cpp := -I$(BUILD)/generated
FLAGS_tensor/gemm.cpp := $(if $(filter onednn,$(GEMM)),-DHEED_ONEDNN=1)

$(FLOAT_OBJECTS): $(BUILD)/float/%.o: %.cpp $(BUILD)/flags | $(BUILD)/needs-build
	$(call compile)
$(DOUBLE_OBJECTS): $(BUILD)/double/%.o: %.cpp $(BUILD)/flags | $(BUILD)/needs-build
	$(call compile,-DHEED_DOUBLE=1)
$(call float,tensor/gemm.cpp) $(call double,tensor/gemm.cpp) $(BUILD)/needs-build: $(BUILD)/engine
$(call float,tests/main.cpp $(TESTS_BOTH) $(TESTS_FLOAT)) $(call double,$(TESTS_BOTH)): | $(BUILD)/needs-test
$(call float,$(BENCHES)): | $(BUILD)/needs-bench
$(BUILD)/needs-test $(BUILD)/needs-bench: | $(BUILD)/needs-build

$(BUILD)/libheed.a: $(call float,$(LIBRARY))
	$(archive)
$(BUILD)/libheed64.a: $(call double,$(LIBRARY))
	$(archive)
$(BUILD)/libheed.so: $(call float,$(LIBRARY))
	$(share)
$(BUILD)/heed: $(call float,models/heed.cpp $(MODELS)) $(BUILD)/libheed.a
	$(link)
$(BUILD)/tests-float: $(call float,tests/main.cpp $(TESTS_BOTH) $(TESTS_FLOAT) $(MODELS)) $(BUILD)/libheed.a
	$(link)
$(BUILD)/tests-double: $(call float,tests/main.cpp) $(call double,$(TESTS_BOTH)) $(BUILD)/libheed64.a
	$(link)
$(BUILD)/fuzz: $(call float,$(FUZZED))
	$(link) -fsanitize=fuzzer
$(BENCHES:%.cpp=$(BUILD)/%): $(BUILD)/%: $(BUILD)/float/%.o $(BUILD)/libheed.a
	$(link) $(filter-out -isystem%,$(file <$(BUILD)/needs-bench))

# A source is linted again when its object is newer: the compiler knows the headers.
$(BUILD)/lint/%: $(BUILD)/float/%.o .clang-tidy | $(BUILD)/needs-lint
	@echo '  $@' && mkdir -p $(@D)
	@clang-tidy --quiet $*.cpp -- $(FLAGS) $(FLAGS_$*.cpp) 2>$@.log || { cat $@.log; exit 1; }
	@touch $@

include tutorials/rules.mk
-include $(FLOAT_OBJECTS:.o=.d) $(DOUBLE_OBJECTS:.o=.d)
