#include "models/run/score.hpp"

#include <iomanip>
#include <ostream>

namespace HEED_NAMESPACE {

void count(ClassTable& table, const std::string& gold, const std::string& predicted) {
  table[gold].gold++;
  table[predicted].predicted++;
  table[gold].right += gold == predicted;
}

double macro_f1(const ClassTable& table) {
  double total = 0;
  std::size_t count = 0;
  for (const auto& [name, c] : table) {
    if (c.gold == 0) continue;
    total += c.f1();
    count++;
  }
  return count ? total / static_cast<double>(count) : 0;
}

void print(std::ostream& out, const char* name, const Score& score) {
  if (score.all == 0) return;
  out << std::left << std::setw(18) << name << std::right << std::fixed << std::setprecision(2) << std::setw(7)
      << score.percent() << " %  (" << score.right << " of " << score.all << ")\n";
}

void print(std::ostream& out, const ClassTable& table, const char* what, const char* items) {
  out << '\n' << std::left << std::setw(10) << what << "precision  recall      F1  " << items << '\n';
  out << std::fixed << std::setprecision(4);
  for (const auto& [name, c] : table)
    out << std::left << std::setw(12) << name << std::right << std::setw(7) << c.precision() << std::setw(8)
        << c.recall() << std::setw(8) << c.f1() << std::setw(7) << c.gold << '\n';
  out << std::left << std::setw(27) << "macro" << std::right << std::setw(8) << macro_f1(table) << '\n';
}

}  // namespace HEED_NAMESPACE
