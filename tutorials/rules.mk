# How the tutorials are run and checked. ONLY='00 06' restricts `tutorials`, `tutorials-check` and `tutorials-update`.

CHAPTERS := $(sort $(patsubst tutorials/%/main.cpp,%,$(wildcard tutorials/[0-9][0-9]-*/main.cpp)))
CHOSEN   := $(if $(ONLY),$(foreach number,$(ONLY),$(or $(filter $(number)-%,$(CHAPTERS)),$(error there is no chapter $(number)))),$(CHAPTERS))
COURSE   := $(BUILD)/tutorials
exercises = $(patsubst tutorials/$(1)/exercises/check_%.cpp,%,$(wildcard tutorials/$(1)/exercises/check_*.cpp))

.PHONY: tutorials tutorials-build tutorials-check tutorials-update site
tutorials: $(CHOSEN:%=tutorial-%)  ## run the programs of all chapters; tutorial-06 runs one, ex-06.2 checks your exercise

tutorials-build: $(CHOSEN:%=$(COURSE)/%/main) \
  $(foreach name,$(CHOSEN),$(foreach k,$(call exercises,$(name)),$(COURSE)/$(name)/exercises/$(k) $(COURSE)/$(name)/solutions/$(k)))

tutorials-check: tutorials-build $(BUILD)/needs-tutorials  ## check that the chapters say what their programs show
	@tutorials/check.py $(CHOSEN)

tutorials-update: tutorials-build $(BUILD)/needs-tutorials  ## write code, output, numbers and figures of the programs into the chapters
	@tutorials/check.py --update $(CHOSEN)

site: $(BUILD)/needs-site  ## make the tutorials a folder of pages that need no network: build/site/index.html
	@tutorials/site/site.py $(BUILD)/site

$(BUILD)/libmodels.a: $(call float,$(wildcard tutorials/*.cpp) $(MODELS))
	$(archive)
$(CHAPTERS:%=$(COURSE)/%/main): $(COURSE)/%/main: $(BUILD)/float/tutorials/%/main.o $(BUILD)/libmodels.a $(BUILD)/libheed.a
	$(link)

# $(call chapter,06-name,06): short names for its program.
define chapter
.PHONY: tutorial-$(1) tutorial-$(2)
tutorial-$(2): tutorial-$(1)
tutorial-$(1): $(COURSE)/$(1)/main
	@$$< $(COURSE)/$(1)
endef

# $(call exercise,06-name,2,06): a program each for the learner's file and for the solution; the checker includes it.
define exercise
.PHONY: ex-$(3).$(2)
ex-$(3).$(2): $(COURSE)/$(1)/exercises/$(2)
	@$$< --no-intro
$(COURSE)/$(1)/exercises/$(2) $(COURSE)/$(1)/solutions/$(2): $(COURSE)/$(1)/%/$(2): tutorials/$(1)/exercises/check_$(2).cpp \
  tutorials/$(1)/%/$(2).cpp $(BUILD)/float/tests/main.o $(BUILD)/libmodels.a $(BUILD)/libheed.a | $(BUILD)/needs-test
	@echo '  $$@' && mkdir -p $$(@D) && $$(CXX) $$(FLAGS) -O1 -Wno-unused-parameter -DEXERCISE='"tutorials/$(1)/$$*/$(2).cpp"' \
	  -MMD -MP $$(LDFLAGS) $$< $$(filter %.o %.a,$$^) -o $$@ $$(LIBS)
endef

number = $(firstword $(subst -, ,$(1)))
$(foreach name,$(CHAPTERS),$(eval $(call chapter,$(name),$(call number,$(name)))))
$(foreach name,$(CHAPTERS),$(foreach k,$(call exercises,$(name)),$(eval $(call exercise,$(name),$(k),$(call number,$(name))))))
-include $(wildcard $(COURSE)/*/exercises/*.d $(COURSE)/*/solutions/*.d)
