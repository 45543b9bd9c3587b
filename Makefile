# heed: `make deps run` trains a tagger, `make deps test` checks everything, `make help` lists the rest.
#
# Variables: CXX=clang++   ARCH=-march=x86-64-v3 (default native)   OPENBLAS=/opt/openblas (its prefix, when not in the
# usual places)   CXXFLAGS, LDFLAGS (added)   PREFIX=/usr/local   DESTDIR=   BUILD=build

ifeq ($(origin CXX),default)
CXX := g++
endif
ARCH   ?= -march=native
OPT    ?= -O3
BUILD  ?= build
PREFIX ?= /usr/local
VERSION := 0.1.0

MODE  := -std=c++20 $(OPT) $(ARCH) -fno-math-errno -fopenmp-simd -pthread
WARN  := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion
BLAS_CFLAGS := $(if $(OPENBLAS),-I$(OPENBLAS)/include,$(shell pkg-config --cflags openblas 2>/dev/null))
BLAS_LIBS   := $(if $(OPENBLAS),-L$(OPENBLAS)/lib -Wl$(comma)-rpath$(comma)$(OPENBLAS)/lib) -lopenblas
comma := ,
FLAGS = $(MODE) $(WARN) -I. $(BLAS_CFLAGS) -DHEED_VERSION='"$(VERSION)"' $(CXXFLAGS) -MMD -MP
LINK  = $(CXX) $(MODE) $(CXXFLAGS) $(LDFLAGS)

LIBRARY := $(wildcard tensor/*.cpp autograd/*.cpp nn/*.cpp nn/*/*.cpp)
MODELS  := $(filter-out models/heed.cpp,$(wildcard models/*.cpp models/*/*.cpp))
# The library's own tests run in both precisions, those of models and data in float.
TESTS_BOTH  := $(wildcard tests/tensor/*.cpp tests/autograd/*.cpp tests/nn/*.cpp)
TESTS_FLOAT := $(wildcard tests/data/*.cpp tests/models/*.cpp)
float  = $(patsubst %.cpp,$(BUILD)/float/%.o,$(1))
double = $(patsubst %.cpp,$(BUILD)/double/%.o,$(1))

.DEFAULT_GOAL := help
.PHONY: help all deps run test check sanitize bench bench-peers format format-check lint install uninstall clean count
.DELETE_ON_ERROR:
.SECONDARY:

help:  ## this text
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-14s %s\n", $$1, $$2}'

all: $(BUILD)/heed $(BUILD)/libheed.a $(BUILD)/libheed64.a  ## build the program and both libraries

run: $(BUILD)/heed  ## train the tagger on the built-in corpus and show what it learned
	@$(BUILD)/heed pos demo

test: $(BUILD)/tests-float $(BUILD)/tests-double $(BUILD)/heed  ## run all tests, in float and in double
	@BUILD=$(BUILD) tests/run.sh

check: test sanitize format-check lint  ## test, sanitizers, format and lint

# ---- what has to be installed ------------------------------------------------------------------------------------------

# A probe compiles and links a line that uses the library: only that shows that it is there.
probe = echo '$(2)' | $(CXX) -std=c++20 $(BLAS_CFLAGS) $(CXXFLAGS) -x c++ - -o $(BUILD)/probe-$(1) $(LDFLAGS) $(3)
code_openblas   := \#include <cblas.h>\nint main(){float x=0;openblas_set_num_threads(1);cblas_sgemm(CblasRowMajor,CblasNoTrans,CblasNoTrans,1,1,1,1,&x,1,&x,1,0,&x,1);}
code_doctest    := \#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n\#include <doctest/doctest.h>
code_json       := \#include <nlohmann/json.hpp>\nint main(){}
code_cli11      := \#include <CLI/CLI.hpp>\nint main(){}
code_utf8proc   := \#include <utf8proc.h>\nint main(){return utf8proc_tolower(65)==0;}
code_benchmark  := \#include <benchmark/benchmark.h>\nint main(){benchmark::Shutdown();}
libs_openblas   := $(BLAS_LIBS)
libs_utf8proc   := -lutf8proc
libs_benchmark  := -lbenchmark -pthread
debian_openblas := libopenblas-dev
debian_doctest  := doctest-dev
debian_json     := nlohmann-json3-dev
debian_cli11    := libcli11-dev
debian_utf8proc := libutf8proc-dev
debian_benchmark := libbenchmark-dev
fedora_openblas := openblas-devel
fedora_doctest  := doctest-devel
fedora_json     := json-devel
fedora_cli11    := cli11-devel
fedora_utf8proc := utf8proc-devel
fedora_benchmark := google-benchmark-devel
brew_openblas   := openblas
brew_doctest    := doctest
brew_json       := nlohmann-json
brew_cli11      := cli11
brew_utf8proc   := utf8proc
brew_benchmark  := google-benchmark
file_openblas   := cblas.h
file_doctest    := doctest.h
file_json       := nlohmann/json.hpp
file_cli11      := CLI/CLI.hpp
file_utf8proc   := utf8proc.h
file_benchmark  := benchmark/benchmark.h

$(BUILD)/have-%:
	@mkdir -p $(BUILD)
	@printf '$(code_$*)\n' | $(CXX) -std=c++20 $(if $(findstring doctest,$*),-fsyntax-only) $(BLAS_CFLAGS) $(CXXFLAGS) -x c++ - \
	  -o $(BUILD)/probe $(LDFLAGS) $(libs_$*) 2>$(BUILD)/probe-$*.log && touch $@ && rm -f $(BUILD)/probe || \
	  { echo "heed: cannot compile and link with $(file_$*) ($*). Debian: apt install $(debian_$*); Fedora: dnf install $(fedora_$*); macOS: brew install $(brew_$*); or 'make deps'. Details: $(BUILD)/probe-$*.log" >&2; exit 1; }

NEEDED := openblas json cli11 utf8proc doctest
deps:  ## install what is missing for building and testing (and only that)
	@missing=; for part in $(NEEDED); do $(MAKE) --no-print-directory -s $(BUILD)/have-$$part 2>/dev/null || missing="$$missing $$part"; done; \
	 if [ -z "$$missing" ]; then echo "heed: nothing to install"; exit 0; fi; \
	 sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	 if command -v apt-get >/dev/null; then get="$$sudo apt-get install -y --no-install-recommends"; system=debian; $$sudo apt-get update -q >/dev/null; \
	 elif command -v dnf >/dev/null; then get="$$sudo dnf install -y"; system=fedora; \
	 elif command -v brew >/dev/null; then get="brew install"; system=brew; \
	 else echo "heed: no apt-get, dnf or brew here; install by hand:$$missing" >&2; exit 1; fi; \
	 packages=$$(for part in $$missing; do $(MAKE) --no-print-directory -s package-$$system-$$part; done); \
	 echo "heed: installing" $$packages; DEBIAN_FRONTEND=noninteractive $$get $$packages >$(BUILD)/deps.log 2>&1 || { tail -5 $(BUILD)/deps.log >&2; exit 1; }
package-%:
	@echo $($(subst -,_,$*))

# ---- how things are built ----------------------------------------------------------------------------------------------

$(BUILD)/float/%.o: %.cpp | $(BUILD)/have-openblas
	@mkdir -p $(@D)
	$(CXX) $(FLAGS) -c $< -o $@
$(BUILD)/double/%.o: %.cpp | $(BUILD)/have-openblas
	@mkdir -p $(@D)
	$(CXX) $(FLAGS) -DHEED_DOUBLE=1 -c $< -o $@

# The same random numbers from every compiler: no contraction of multiply and add.
$(BUILD)/float/tensor/rng.o $(BUILD)/double/tensor/rng.o: CXXFLAGS += -ffp-contract=off
$(call float,nn/checkpoint.cpp) $(call double,nn/checkpoint.cpp): | $(BUILD)/have-json
$(call float,models/heed.cpp): | $(BUILD)/have-cli11
$(call float,models/data/utf8.cpp): | $(BUILD)/have-utf8proc
$(BUILD)/float/tests/%.o $(BUILD)/double/tests/%.o: | $(BUILD)/have-doctest

$(BUILD)/libheed.a: $(call float,$(LIBRARY))
	@rm -f $@
	ar rcs $@ $^
$(BUILD)/libheed64.a: $(call double,$(LIBRARY))
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/heed: $(call float,models/heed.cpp $(MODELS)) $(BUILD)/libheed.a
	$(LINK) $^ -o $@ $(BLAS_LIBS) -lutf8proc
$(BUILD)/tests-float: $(call float,tests/main.cpp $(TESTS_BOTH) $(TESTS_FLOAT) $(MODELS)) $(BUILD)/libheed.a
	$(LINK) $^ -o $@ $(BLAS_LIBS) -lutf8proc
$(BUILD)/tests-double: $(call double,tests/main.cpp $(TESTS_BOTH)) $(BUILD)/libheed64.a
	$(LINK) $^ -o $@ $(BLAS_LIBS)

clean:  ## remove everything that was built
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
