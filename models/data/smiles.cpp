#include <algorithm>
#include <array>

#include "models/data/graph_files.hpp"
#include "models/data/input.hpp"

namespace HEED_NAMESPACE {

namespace {

constexpr int most_atoms = 1000;

// Reads a molecule from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Example read() {
    while (at_ < text_.size()) step();
    if (!branches_.empty()) refuse("a branch is not closed");
    if (bond_ >= 0) refuse("a bond leads nowhere");
    for (const Ring& ring : rings_)
      if (ring.atom >= 0) refuse("a ring is not closed");
    if (item_.symbols.empty()) refuse("no atom");
    for (std::size_t i = 0, heavy = atoms_.size(); i < heavy; i++) add_hydrogens(static_cast<int>(i));
    return std::move(item_);
  }

 private:
  struct Atom {
    bool aromatic;
    int hydrogens;  // as brackets say; -1: as many as the valence leaves
    int bonds;      // what they add up to
  };
  struct Ring {
    int atom = -1, bond = -1;
  };

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    fault("SMILES, column ", at_ + 1, ": ", parts...);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) { return peek() == c && (at_++, true); }
  bool digit() const { return peek() >= '0' && peek() <= '9'; }
  // A number of some digits, `otherwise` without any.
  int number(int otherwise) {
    if (!digit()) return otherwise;
    int value = 0;
    for (int digits = 0; digit(); at_++)
      if (value = value * 10 + peek() - '0'; ++digits > 3) refuse("a number of more than three digits");
    return value;
  }

  void step() {
    constexpr std::string_view bonds = "-=#:/\\";
    char c = peek();
    if (c == '(') {
      if (last_ < 0) refuse("a branch before any atom");
      branches_.push_back(last_);
      at_++;
    } else if (c == ')') {
      if (branches_.empty()) refuse("\")\" closes nothing");
      if (bond_ >= 0) refuse("a bond leads nowhere");
      last_ = branches_.back();
      branches_.pop_back();
      at_++;
    } else if (c == '.') {
      if (bond_ >= 0) refuse("a bond leads nowhere");
      last_ = -1;
      at_++;
    } else if (std::size_t kind = bonds.find(c); kind != bonds.npos) {
      if (last_ < 0 || bond_ >= 0) refuse("a bond from nowhere");
      bond_ = kind >= 4 ? int{single_bond} : static_cast<int>(kind);
      at_++;
    } else if (c == '%' || digit()) {
      ring();
    } else {
      atom();
    }
  }

  // The element at this place; a small letter is aromatic.
  int element(bool& aromatic) {
    aromatic = std::string_view("bcnops").find(peek()) != std::string_view::npos && at_ < text_.size();
    std::string name(text_.substr(at_, 2));
    if (aromatic) name.assign(1, static_cast<char>(peek() - 'a' + 'A'));
    for (; !name.empty(); name.pop_back())
      for (std::size_t i = 0; i < elements.size(); i++)
        if (elements[i].name == name) {
          at_ += name.size();
          return static_cast<int>(i);
        }
    refuse("expected an atom, found ", excerpt(text_.substr(at_, 1)));
  }

  void atom() {
    Atom atom{false, -1, 0};
    bool bracket = take('[');
    if (bracket) number(0);
    int kind = element(atom.aromatic);
    if (!bracket && kind == 0) refuse("hydrogen stands in brackets");
    if (bracket) {
      while (take('@')) {
      }
      atom.hydrogens = take('H') ? number(1) : 0;
      if (char sign = peek(); sign == '+' || sign == '-') {
        while (take(sign)) {
        }
        number(0);
      }
      if (take(':')) number(0);
      if (!take(']')) refuse("expected \"]\"");
    }
    int before = last_;
    last_ = add(kind, atom);
    if (before >= 0) join(before, last_, std::exchange(bond_, -1));
  }

  int add(int kind, const Atom& atom) {
    if (atoms_.size() == most_atoms) refuse("more than ", most_atoms, " atoms");
    item_.symbols.push_back(1 + kind);
    atoms_.push_back(atom);
    return static_cast<int>(atoms_.size()) - 1;
  }

  Atom& at(int i) { return atoms_[static_cast<std::size_t>(i)]; }

  void join(int a, int b, int type) {
    if (type < 0) type = at(a).aromatic && at(b).aromatic ? aromatic_bond : single_bond;
    if (a == b) refuse("an atom bound to itself");
    // The edges of an atom are the last ones, or those of a ring: few enough to look at all.
    if (std::any_of(item_.edges.begin(), item_.edges.end(),
                    [&](const GraphEdge& e) { return e.from == a && e.to == b; }))
      refuse("two bonds between the same atoms");
    add_bond(item_, a, b, static_cast<Bond>(type));
    for (int i : {a, b}) at(i).bonds += type == aromatic_bond ? 1 : type + 1;
  }

  void ring() {
    if (last_ < 0) refuse("a ring before any atom");
    bool two = take('%');
    std::size_t name = 0;
    for (int digits = two ? 2 : 1; digits > 0; digits--, at_++) {
      if (!digit()) refuse("expected a digit");
      name = name * 10 + static_cast<std::size_t>(peek() - '0');
    }
    Ring& ring = rings_[name];
    int bond = std::exchange(bond_, -1);
    if (ring.atom < 0) {
      ring = {last_, bond};
      return;
    }
    if (ring.bond >= 0 && bond >= 0 && ring.bond != bond) refuse("a ring that closes with another bond");
    join(ring.atom, last_, std::max(ring.bond, bond));
    ring = {};
  }

  // As many as brackets say, or as the lowest valence that holds the bonds leaves; an aromatic atom binds one more.
  void add_hydrogens(int i) {
    const Element& element = elements[static_cast<std::size_t>(item_.symbols[static_cast<std::size_t>(i)] - 1)];
    int bonds = at(i).bonds + at(i).aromatic, valence = element.valence;
    while (!at(i).aromatic && valence < bonds && valence < element.most) valence += 2;
    int count = at(i).hydrogens >= 0 ? at(i).hydrogens : valence - bonds;
    for (; count > 0; count--) join(i, add(0, {false, 0, 0}), single_bond);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int last_ = -1, bond_ = -1;  // the atom that the next is bound to, and how; -1: none, not said
  std::vector<int> branches_;
  std::array<Ring, 100> rings_;
  std::vector<Atom> atoms_;
  Example item_;
};

}  // namespace

Example read_smiles(std::string_view text) { return Reader(text).read(); }

}  // namespace HEED_NAMESPACE
