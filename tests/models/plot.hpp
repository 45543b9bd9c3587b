// plot.hpp — reading pictures again: whether a file is well-formed XML, and the marks in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::testing {

/// Says what is wrong with `xml`, or nothing: tags nest, attributes are quoted, entities are known, one root.
inline std::string xml_fault(std::string_view xml) {
  std::vector<std::string> open;
  std::size_t at = 0, roots = 0;
  auto entities_fault = [](std::string_view text) {
    for (std::size_t i = text.find('&'); i != std::string_view::npos; i = text.find('&', i + 1)) {
      bool known = false;
      for (std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;"})
        known |= text.substr(i, entity.size()) == entity;
      if (!known) return "bare & before " + std::string(text.substr(i, 20));
    }
    return std::string();
  };
  while (at < xml.size()) {
    std::size_t tag = xml.find('<', at);
    std::string_view text = xml.substr(at, tag == std::string_view::npos ? tag : tag - at);
    if (open.empty() && text.find_first_not_of(" \n") != std::string_view::npos) return "text outside the root";
    if (std::string fault = entities_fault(text); !fault.empty()) return fault;
    if (tag == std::string_view::npos) break;
    std::size_t end = tag + 1;
    for (bool quoted = false; end < xml.size() && (quoted || xml[end] != '>'); end++) {
      if (xml[end] == '"') quoted = !quoted;
      if (xml[end] == '<') return "< inside a tag";
    }
    if (end == xml.size()) return "a tag that does not end";
    std::string_view inside = xml.substr(tag + 1, end - tag - 1);
    if (std::string fault = entities_fault(inside); !fault.empty()) return fault;
    std::string name(inside.substr(0, inside.find_first_of(" /", 1)));
    if (inside[0] == '/') {
      if (open.empty() || "/" + open.back() != name) return "unexpected <" + name + ">";
      open.pop_back();
    } else {
      if (open.empty()) roots++;
      if (inside.back() != '/') open.push_back(name);
    }
    at = end + 1;
  }
  if (!open.empty()) return "<" + open.back() + "> stays open";
  return roots == 1 ? "" : "not one root";
}

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) count++;
  return count;
}

}  // namespace heed::testing
