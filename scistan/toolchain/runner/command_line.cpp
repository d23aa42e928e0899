// Reads the words of a command line into the argument tree, and prints help on it.
#include "command_line.hpp"

namespace scistan::runner {

namespace {

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& words) : words_(words) {}

  // Take words as long as they name members of the group; the caller tries the rest.
  void take_members(Argument& group) {
    while (position_ < words_.size() && !help_) {
      const std::string& word = words_[position_];
      if (word == "help" || word == "help-all") {
        help_ = &group;
        return;
      }
      if (!take_member(group, word)) return;
    }
  }

  bool finished() const { return help_ || position_ == words_.size(); }
  const std::string& word() const { return words_[position_]; }
  const Argument* help() const { return help_; }

 private:
  const std::vector<std::string>& words_;
  std::size_t position_ = 0;
  const Argument* help_ = nullptr;

  bool take_member(Argument& group, const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return take_bare(group, word);
    Argument* member = group.find(word.substr(0, equals));
    if (!member) return false;
    if (member->kind == Argument::Kind::group)
      throw UsageError("'" + word + "': " + member->name + " takes no value of its own");
    ++position_;
    member->set(word.substr(equals + 1));
    if (member->kind == Argument::Kind::choice) take_members(*member->find(member->value));
    return true;
  }

  // A word without '=' is a group, or an alternative of a choice ("sample" for "method=sample").
  bool take_bare(Argument& group, const std::string& word) {
    Argument* member = group.find(word);
    if (member && member->kind != Argument::Kind::group)
      throw UsageError(word + " needs a value: " + word + "=..., expected " + member->expected());
    for (Argument& candidate : group.members) {
      if (member || candidate.kind != Argument::Kind::choice) continue;
      member = candidate.find(word);
      if (member) candidate.set(word);
    }
    if (!member) return false;
    ++position_;
    take_members(*member);
    return true;
  }
};

// Every place in the tree where an argument with this name stands.
void find_places(const Argument& node, const std::string& name, const std::string& path,
                 std::vector<std::string>& places) {
  for (const Argument& member : node.members) {
    const std::string here = node.kind == Argument::Kind::choice
                                 ? path + (path.empty() ? "" : " ") + node.name + "=" + member.name
                             : member.kind == Argument::Kind::group
                                 ? path + (path.empty() ? "" : " ") + member.name
                                 : path;
    if (member.name == name) places.push_back(path);
    find_places(member, name, here, places);
  }
}

std::string misplaced(const Argument& settings, const std::string& word) {
  std::vector<std::string> places;
  find_places(settings, word.substr(0, word.find('=')), "", places);
  std::string message = "'" + word + "' is either mistyped or misplaced";
  for (const std::string& place : places)
    message += (&place == &places.front() ? "; it belongs to '" : " or '") +
               (place.empty() ? "the top level" : place) + "'";
  return message;
}

void print_tree(const Argument& node, const std::string& indent, std::ostream& out) {
  out << indent << node.name;
  if (node.kind != Argument::Kind::group) out << "=<" << node.expected() << ">";
  out << "  " << node.help;
  if (node.kind != Argument::Kind::group)
    out << " (default: " << (node.default_value.empty() ? "none" : node.default_value) << ")";
  out << "\n";
  for (const Argument& member : node.members) print_tree(member, indent + "  ", out);
}

}  // namespace

const Argument* parse(Argument& settings, const std::vector<std::string>& words) {
  Parser parser(words);
  parser.take_members(settings);
  if (!parser.finished()) throw UsageError(misplaced(settings, parser.word()));
  return parser.help();
}

void print_help(const Argument& node, std::ostream& out) {
  if (node.name.empty()) {
    out << node.help << "\n\nUsage: <executable> <arguments>, or: <executable> info\n\n";
    for (const Argument& member : node.members) print_tree(member, "", out);
  } else {
    print_tree(node, "", out);
  }
}

}  // namespace scistan::runner
