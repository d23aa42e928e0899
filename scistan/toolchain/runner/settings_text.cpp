// Writes the settings of a run: as lines of text for console and CSV, and as a JSON document.
#include "settings_text.hpp"

#include <cstdio>

namespace scistan::runner {

namespace {

using Kind = Argument::Kind;

void add_lines(const Argument& node, const std::string& indent, std::vector<std::string>& lines) {
  if (node.kind == Kind::group) {
    lines.push_back(indent + node.name);
    for (const Argument& member : node.members) add_lines(member, indent + "  ", lines);
    return;
  }
  lines.push_back(indent + node.name + " = " + node.value + (node.is_default() ? " (Default)" : ""));
  if (node.kind != Kind::choice) return;
  const Argument& chosen = *node.find(node.value);
  if (!chosen.members.empty()) add_lines(chosen, indent + "  ", lines);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string json_members(const std::vector<Argument>& members, const std::string& indent);

std::string json_value(const Argument& node, const std::string& indent) {
  const std::string inner = indent + "  ";
  switch (node.kind) {
    case Kind::text: return quoted(node.value);
    case Kind::group: return "{\n" + json_members(node.members, inner) + "\n" + indent + "}";
    case Kind::choice: {
      const Argument& chosen = *node.find(node.value);
      std::string fields = inner + "\"value\" : " + quoted(node.value);
      if (!chosen.members.empty())
        fields += ",\n" + inner + quoted(chosen.name) + " : " + json_value(chosen, inner);
      return "{\n" + fields + "\n" + indent + "}";
    }
    default: return node.value;
  }
}

std::string json_members(const std::vector<Argument>& members, const std::string& indent) {
  std::string out;
  for (const Argument& member : members)
    out += (out.empty() ? "" : ",\n") + indent + quoted(member.name) + " : " +
           json_value(member, indent);
  return out;
}

}  // namespace

std::vector<std::string> settings_lines(const Argument& settings) {
  std::vector<std::string> lines;
  for (const Argument& member : settings.members) add_lines(member, "", lines);
  return lines;
}

std::string settings_json(const Argument& settings,
                          const std::vector<std::pair<std::string, std::string>>& heading) {
  std::string out = "{\n";
  for (const auto& [key, value] : heading) out += "  " + quoted(key) + " : " + quoted(value) + ",\n";
  return out + json_members(settings.members, "  ") + "\n}\n";
}

}  // namespace scistan::runner
