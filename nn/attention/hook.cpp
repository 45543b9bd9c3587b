#include "nn/attention/hook.hpp"

namespace HEED_NAMESPACE {

namespace {
AttentionHook*& youngest() {
  thread_local AttentionHook* hook = nullptr;
  return hook;
}

// Steps aside for as long as a hook is at work.
struct Aside {
  AttentionHook* hook = youngest();
  Aside() { youngest() = nullptr; }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside() { youngest() = hook; }
};
}  // namespace

AttentionHook::AttentionHook() : before_(youngest()) { youngest() = this; }
AttentionHook::~AttentionHook() { youngest() = before_; }
AttentionHook* AttentionHook::current() { return youngest(); }

Var AttentionHook::ask(const Var& q, const Var& k, const Var& v, const AttentionOptions& options) {
  Aside aside;
  return attend(q, k, v, options);
}

void show_edges(const char* mixer, const Var& weights, const Edges& edges, Size batch, Size heads) {
  AttentionHook* hook = AttentionHook::current();
  if (!hook) return;
  Size groups = batch * heads, queries = edges.queries() / groups, keys = edges.keys() / groups;
  Tensor all({batch, heads, queries, keys}, 0), listed = weights.value().compact();
  real* to = all.mut();
  for (Size e = 0; e < edges.count(); e++) {
    auto at = static_cast<std::size_t>(e);
    to[edges.query_of()[at] * keys + edges.key_of()[at] % keys] = listed.data()[e];
  }
  hook->see(mixer, all);
}

}  // namespace HEED_NAMESPACE
