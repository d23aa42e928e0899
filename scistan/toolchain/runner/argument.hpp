// The type of one node in the command-line tree: a group, a value, or a choice between groups.
#pragma once

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace scistan::runner {

// What the user typed is wrong; the message says what and what was expected.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

// The numbers a value may take; an open end excludes its bound.
struct Range {
  double low = -infinity;
  double high = infinity;
  bool low_open = false;
  bool high_open = false;

  bool contains(double x) const;
  std::string words() const;
};

struct Argument {
  enum class Kind { group, flag, integer, real, text, choice };

  Kind kind;
  std::string name;
  std::string help;
  std::string default_value;
  Range range;
  std::vector<Argument> members;  // of a group, or the alternatives of a choice
  std::string value = default_value;
  bool given = false;

  // Take a value from the command line; throws UsageError when it is not one of ours.
  void set(const std::string& text);

  bool is_default() const { return value == default_value; }
  bool is_value() const { return kind != Kind::group && kind != Kind::choice; }

  // The member with this name, or null.
  Argument* find(const std::string& member);
  const Argument* find(const std::string& member) const;

  // Read a value below this node: `settings.real("method/sample/adapt/delta")`.
  const Argument& at(const std::string& path) const;
  Argument& at(const std::string& path);
  bool flag(const std::string& path) const;
  long long integer(const std::string& path) const;
  double real(const std::string& path) const;
  const std::string& text(const std::string& path) const { return at(path).value; }

  // The alternatives taken by the choices below this node: "sample hmc nuts diag_e".
  std::string selection() const;

  // What a value may be, in words: "an integer >= 0".
  std::string expected() const;
};

// True and the number if the whole of the text is one.
bool parse_real(const std::string& text, double& number);

// Every argument of the program with its default, as CmdStan 2.35 names them.
Argument declare_arguments();

}  // namespace scistan::runner
