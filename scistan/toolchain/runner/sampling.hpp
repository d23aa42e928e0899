// What every sampler needs of a run: its settings, start values, metrics and output files.
#pragma once

#include "run.hpp"

namespace scistan::runner {

struct Sampling {
  explicit Sampling(Run& run);

  Run& run;
  const Argument& method = run.method;
  const Argument& adapt = method.at("adapt");
  const Argument& hmc = method.at("algorithm/hmc");

  unsigned chains = method.integer("num_chains");
  int warmup = method.integer("num_warmup");
  int samples = method.integer("num_samples");
  int thin = method.integer("thin");
  bool save_warmup = method.flag("save_warmup");
  bool adaptive = adapt.flag("engaged");

  double delta = adapt.real("delta");
  double gamma = adapt.real("gamma");
  double kappa = adapt.real("kappa");
  double t0 = adapt.real("t0");
  unsigned init_buffer = adapt.integer("init_buffer");
  unsigned term_buffer = adapt.integer("term_buffer");
  unsigned window = adapt.integer("window");

  double stepsize = hmc.real("stepsize");
  double jitter = hmc.real("stepsize_jitter");
  int max_depth = hmc.integer("engine/nuts/max_depth");
  double int_time = hmc.real("engine/static/int_time");

  double init_radius = run.init_radius();
  std::vector<Context> inits = run.inits(chains);
  std::vector<stan::callbacks::writer> init_writers = std::vector<stan::callbacks::writer>(chains);
  std::vector<CsvWriter> draws = run.open_csv("file", chains);
  std::vector<CsvWriter> diagnostics = run.open_csv("diagnostic_file", chains);
  std::vector<JsonWriter> metric_files;  // silent unless save_metric

  // The start metric of each chain: that of metric_file, or else the identity.
  std::vector<Context> metrics(const Context& identity) const;

  // Close the files; throws if a chain stopped before its first draw or a file is incomplete.
  int finish(int code);
};

}  // namespace scistan::runner
