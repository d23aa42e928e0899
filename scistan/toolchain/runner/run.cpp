// One run of one method: what every method is given, and the register of the methods linked in.
#include "run.hpp"

#include "settings_text.hpp"

#include <stan/version.hpp>

#include <cmath>
#include <map>

namespace scistan::runner {

namespace {

constexpr double default_radius = 2;  // for what a file of start values leaves out

std::map<std::string, Method>& methods() {
  static std::map<std::string, Method> registered;
  return registered;
}

void write_heading(const Run& run, unsigned id, CsvWriter& csv) {
  Argument settings = run.settings;
  Argument& chain = settings.at("id");
  chain.value = std::to_string(id);
  csv("stan_version_major = " + stan::MAJOR_VERSION);
  csv("stan_version_minor = " + stan::MINOR_VERSION);
  csv("stan_version_patch = " + stan::PATCH_VERSION);
  csv("model = " + run.model.model_name());
  csv("start_datetime = " + run.start_time);
  for (const std::string& line : settings_lines(settings)) csv(line);
  for (const std::string& line : run.model.model_compile_info()) csv(line);
}

}  // namespace

double Run::init_radius() const {
  double radius;
  if (!parse_real(settings.text("init"), radius)) return default_radius;
  if (!std::isfinite(radius) || radius < 0)
    throw std::runtime_error("Error: init=" + settings.text("init") +
                             " is not valid, expected a number >= 0 or a JSON file");
  return radius;
}

const std::string& Run::input_path(const std::string& option) const {
  const std::string& path = method.text(option);
  if (path.empty())
    throw std::runtime_error("Error: " + method.name + " needs " + option + "=<file>");
  if (path == settings.text("output/file"))
    throw std::runtime_error("Error: '" + path + "' is both " + option + " and output file");
  return path;
}

std::vector<Context> Run::inits(unsigned chains) const {
  double radius;
  const std::string& init = settings.text("init");
  return read_per_chain(read_json, parse_real(init, radius) ? "" : init, id, chains);
}

std::vector<CsvWriter> Run::open_csv(const std::string& option, unsigned chains,
                                     const std::string& tag) const {
  const std::string& path = settings.text("output/" + option);
  std::vector<CsvWriter> files(chains);
  for (unsigned i = 0; !path.empty() && i < chains; ++i) {
    files[i] = CsvWriter(numbered(path, tag, id + i, chains > 1 || !tag.empty()),
                         significant_figures);
    write_heading(*this, id + i, files[i]);
  }
  return files;
}

JsonWriter Run::open_json_beside(const std::string& tag, unsigned number, bool several) const {
  const std::string path = with_extension(settings.text("output/file"), ".json");
  return open_json(numbered(path, tag, number, several), significant_figures);
}

void Run::require_parameters() const {
  if (model.num_params_r() == 0)
    throw std::runtime_error("Error: model " + model.model_name() +
                             " has no parameters, nothing to estimate; use method=sample "
                             "algorithm=fixed_param");
}

std::vector<std::string> constrained_names(const stan::model::model_base& model) {
  std::vector<std::string> names;
  model.constrained_param_names(names, false, false);
  return names;
}

Registration::Registration(const std::string& selection, Method method) {
  methods()[selection] = method;
}

Method find_method(const std::string& selection) {
  const auto found = methods().find(selection);
  return found == methods().end() ? nullptr : found->second;
}

std::vector<std::string> linked_methods() {
  std::vector<std::string> selections;
  for (const auto& [selection, method] : methods()) selections.push_back(selection);
  return selections;
}

}  // namespace scistan::runner
