// One run of one method: what every method is given, and the register of the methods linked in.
#pragma once

#include "argument.hpp"
#include "input.hpp"
#include "output.hpp"

#include <stan/callbacks/interrupt.hpp>
#include <stan/model/model_base.hpp>

namespace scistan::runner {

struct Run {
  const Argument& settings;
  stan::model::model_base& model;
  stan::callbacks::logger& logger;
  std::string start_time;

  const Argument& method = settings.at("method/" + settings.text("method"));
  unsigned seed = settings.integer("random/seed");
  unsigned id = settings.integer("id");
  int refresh = settings.integer("output/refresh");
  int significant_figures = settings.integer("output/sig_figs");

  stan::callbacks::interrupt interrupt{};
  stan::callbacks::writer no_writer{};

  double init_radius() const;
  std::vector<Context> inits(unsigned chains = 1) const;

  // A file the method must be given, and which it must not overwrite.
  const std::string& input_path(const std::string& option) const;

  // The CSV files of an output option, one per chain, headed by the settings; silent if the option is empty.
  std::vector<CsvWriter> open_csv(const std::string& option, unsigned chains = 1,
                                  const std::string& tag = "") const;

  // A JSON file beside the output file: "output_metric.json", "output_path_1.json".
  JsonWriter open_json_beside(const std::string& tag, unsigned number, bool several) const;

  // Throw if the model has nothing to estimate.
  void require_parameters() const;
};

// Names of the parameters, as the columns of Stan CSV spell them.
std::vector<std::string> constrained_names(const stan::model::model_base& model);

using Method = int (*)(Run&);

// A unit registers its methods when the program starts: `const Registration r("optimize lbfgs", run)`.
struct Registration {
  Registration(const std::string& selection, Method method);
};

// The method for a selection ("sample hmc nuts diag_e"), or null if its unit is not linked in.
Method find_method(const std::string& selection);
std::vector<std::string> linked_methods();

}  // namespace scistan::runner
