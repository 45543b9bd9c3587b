// pattern.hpp — which keys each query may use, as a value that can be combined with & and |.
//
// A pattern is a cost, not a mask painted over N x N scores: asked for some queries, it names the stretches of keys
// they use, and the attention kernel visits nothing else (plan.hpp). Query i stands at position p = i + keys - queries,
// so that the last query and the last key are neighbours and a pattern means the same with cached keys. Positions count
// from 0.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "tensor/mask.hpp"
#include "tensor/rng.hpp"

namespace HEED_NAMESPACE {

/// Numbers first, first + step, ..., `count` of them: the queries or keys of a tile.
struct Lattice {
  Size first = 0, count = 0, step = 1;                        ///< count may be 0, step is above 0
  Size operator[](Size i) const { return first + i * step; }  ///< number i
  Size last() const { return first + (count - 1) * step; }    ///< the greatest number, for count > 0
};

/// Keys [begin, end) of a lattice, by index, that some of the queries asked about use, or all of them do.
struct Span {
  Size begin, end;  ///< indices, end not included
  bool all;         ///< every query uses every one of these keys
};

/// A set of (head, query, key). Undefined keeps everything: full attention. Cheap to copy.
class Pattern {
 public:
  /// What a pattern can answer; a new kind of pattern derives from this.
  struct Rule {
    virtual ~Rule() = default;
    /// Where the queries and keys are: the head, and how many keys there are in all.
    struct Place {
      Size head = 0, keys = 0;  ///< number of the head, keys in all
    };
    /// Appends the keys that any of the queries (positions) uses: disjoint, in order.
    virtual void spans(const Place& place, const Lattice& queries, const Lattice& keys,
                       std::vector<Span>& out) const = 0;
    /// keep[j] = whether the query at position p uses keys[j].
    virtual void row(const Place& place, Size p, const Lattice& keys, std::uint8_t* keep) const = 0;
    /// What row() keeps when that is one stretch of keys, which is cheaper to mask; else nothing.
    virtual std::optional<Span> stretch(const Place&, Size, const Lattice&) const { return {}; }
    /// The pattern falls apart into this many classes of positions, alike modulo this number, that never meet.
    virtual Size classes() const { return 1; }
    /// Positions of queries that use far more keys than their neighbours.
    virtual void busy(std::vector<Size>&) const {}
    /// Whether, among positions `step` apart, kept keys lie so far from each other that stretches of them say little.
    virtual bool scattered(Size) const { return false; }
    /// Whether heads differ; whether the pattern depends on the number of keys.
    virtual bool by_head() const { return false; }
    virtual bool by_length() const { return false; }  ///< whether the number of keys matters
  };
  Pattern() = default;
  explicit Pattern(std::shared_ptr<const Rule> rule) : rule_(std::move(rule)) {}  ///< the cells that a rule says

  bool defined() const { return rule_ != nullptr; }                  ///< false: full attention
  const std::shared_ptr<const Rule>& rule() const { return rule_; }  ///< null for full attention
  /// The cells as a boolean (queries, keys), for pictures and tests. O(queries keys).
  Mask mask(Size queries, Size keys, Size head = 0) const;
  /// How many cells a head keeps. O(queries keys).
  Size count(Size queries, Size keys, Size head = 0) const { return mask(queries, keys, head).count(); }

 private:
  std::shared_ptr<const Rule> rule_;
};

/// Keeps what both keep / what either keeps.
Pattern operator&(const Pattern& a, const Pattern& b);
Pattern operator|(const Pattern& a, const Pattern& b);  ///< what either keeps

/// Every query uses every key.
inline Pattern full() { return {}; }
/// Key j <= p: no query sees what comes after it.
Pattern causal();
/// |j - p| <= reach: 2 reach + 1 keys (Luong et al. 2015, arXiv 1508.04025). Reach N - 1 is full attention, 0 the query
/// alone. Throws Error when negative.
Pattern local(Size reach);
/// -left <= j - p <= right: speech recognition with bounded delay (Yeh et al. 2019, arXiv 1910.12977).
Pattern truncated(Size left, Size right);
/// Keys in the query's own block of `size` and in the neighbouring ones, `width` blocks in all (odd, default the own
/// one only). The block form of local attention (Liu et al. 2018, arXiv 1801.10198).
Pattern local_blocks(Size size, Size width = 1);
/// (j - p) mod stride = 0, and |j - p| <= reach stride unless reach is 0: the whole comb, or the drawn form of the
/// lectures, which sees `reach` teeth to each side (Child et al. 2019, arXiv 1904.10509). N²/stride keys, or N (2 reach
/// + 1).
Pattern strided(Size stride, Size reach = 0);
/// A window with gaps: j - p a multiple of `gap`, |j - p| <= reach gap. The same as strided(gap, reach) for reach > 0.
Pattern dilated(Size reach, Size gap);
/// p or j is one of these positions: they see everything and everything sees them; the others see neither each other
/// nor themselves. Positions beyond the sequence count for nothing. Throws Error for a negative one.
Pattern global_tokens(std::vector<Size> positions);
/// j is one of these positions: everything sees them, and nothing else.
Pattern seen_by_all(std::vector<Size> positions);
/// Each query's block of `size` keeps `count` key blocks drawn without replacement, for each head anew but always the
/// same ones, from those outside a window of `width` blocks and outside the blocks `global`. With no more than width +
/// global + count blocks in all, everything is kept. Depends on the number of keys.
Pattern random_blocks(Size size, Size count, std::uint64_t seed, Size width = 1, std::vector<Size> global = {});
/// The causal head of the Sparse Transformer: j <= p and (p - j <= stride or (p - j) mod stride = 0) (arXiv
/// 1904.10509).
Pattern sparse_transformer(Size stride);
/// local(reach) | global_tokens(tokens): the pattern of Longformer (Beltagy et al. 2020, arXiv 2004.05150). Its global
/// tokens also have projections of their own: see longformer.hpp.
Pattern longformer(Size reach, std::vector<Size> tokens = {}, Size gap = 1);
/// For `queries` queries and 1 + ⌈queries/size⌉ keys, of which number c > 0 stands for the positions from (c - 1) size
/// to c size - 1: query i keeps key 0 and those whose positions are all <= i (memory-compressed attention, Liu et al.
/// 2018, arXiv 1801.10198).
Pattern passed_windows(Size size, Size queries);
struct BigBirdOptions {            ///< Choices for big_bird().
  Size block = 64;                 ///< positions in a block
  Size window = 3;                 ///< blocks in the window, odd
  Size random = 3;                 ///< random blocks for each block of queries
  std::vector<Size> global = {0};  ///< blocks that see and are seen by all
};
/// Window, random and global blocks (Zaheer et al. 2020, arXiv 2007.14062); the seed fixes the random ones.
Pattern big_bird(std::uint64_t seed, const BigBirdOptions& options = {});

}  // namespace HEED_NAMESPACE
