// Reads and checks the values of single arguments, and finds arguments by path.
#include "argument.hpp"

#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace scistan::runner {

namespace {

bool is_true(const std::string& text) { return text == "1" || text == "true"; }
bool is_false(const std::string& text) { return text == "0" || text == "false"; }

bool parse_integer(const std::string& text, long long& number) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0]))) return false;
  char* end = nullptr;
  errno = 0;
  number = std::strtoll(text.c_str(), &end, 10);
  return errno == 0 && *end == '\0';
}

std::string join(const std::vector<Argument>& arguments, const char* separator) {
  std::string joined;
  for (const Argument& argument : arguments)
    joined += (joined.empty() ? "" : separator) + argument.name;
  return joined;
}

}  // namespace

bool parse_real(const std::string& text, double& number) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0]))) return false;
  char* end = nullptr;
  number = std::strtod(text.c_str(), &end);
  return *end == '\0';
}

bool Range::contains(double x) const {
  return std::isfinite(x) && (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
}

std::string Range::words() const {
  std::ostringstream out;
  out.precision(10);
  if (low > -infinity) out << (low_open ? " > " : " >= ") << low;
  if (low > -infinity && high < infinity) out << " and";
  if (high < infinity) out << (high_open ? " < " : " <= ") << high;
  return out.str();
}

std::string Argument::expected() const {
  switch (kind) {
    case Kind::flag: return "true, false, 1 or 0";
    case Kind::integer: return "an integer" + range.words();
    case Kind::real: return "a number" + range.words();
    case Kind::choice: return "one of " + join(members, ", ");
    default: return "text";
  }
}

void Argument::set(const std::string& text) {
  bool valid = true;
  std::string kept = text;
  if (kind == Kind::flag) {
    valid = is_true(text) || is_false(text);
    kept = is_true(text) ? "true" : "false";
  } else if (kind == Kind::integer) {
    long long number;
    valid = parse_integer(text, number) && range.contains(static_cast<double>(number));
  } else if (kind == Kind::real) {
    double number;
    valid = parse_real(text, number) && range.contains(number);
  } else if (kind == Kind::choice) {
    valid = find(text) != nullptr;
  }
  if (!valid) throw UsageError(name + "=" + text + " is not valid, expected " + expected());
  value = kept;
  given = true;
}

Argument* Argument::find(const std::string& member) {
  for (Argument& candidate : members)
    if (candidate.name == member) return &candidate;
  return nullptr;
}

const Argument* Argument::find(const std::string& member) const {
  return const_cast<Argument*>(this)->find(member);
}

Argument& Argument::at(const std::string& path) {
  Argument* node = this;
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, '/');) {
    node = node->find(part);
    if (!node) throw std::logic_error("no argument '" + path + "' below '" + name + "'");
  }
  return *node;
}

const Argument& Argument::at(const std::string& path) const {
  return const_cast<Argument*>(this)->at(path);
}

bool Argument::flag(const std::string& path) const { return is_true(at(path).value); }

long long Argument::integer(const std::string& path) const {
  return std::strtoll(at(path).value.c_str(), nullptr, 10);
}

double Argument::real(const std::string& path) const {
  return std::strtod(at(path).value.c_str(), nullptr);
}

std::string Argument::selection() const {
  std::string words;
  const auto append = [&words](const std::string& more) {
    if (!more.empty()) words += (words.empty() ? "" : " ") + more;
  };
  if (kind == Kind::choice) {
    append(value);
    append(find(value)->selection());
  } else {
    for (const Argument& member : members) append(member.selection());
  }
  return words;
}

}  // namespace scistan::runner
