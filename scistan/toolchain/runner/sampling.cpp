// What every sampler needs of a run: its settings, start values, metrics and output files.
#include "sampling.hpp"

namespace scistan::runner {

Sampling::Sampling(Run& run) : run(run) {
  const bool nuts_or_fixed = hmc.text("engine") == "nuts" || method.text("algorithm") != "hmc";
  if (method.text("algorithm") == "hmc" && adaptive && warmup == 0)
    throw std::runtime_error("Error: num_warmup must be greater than zero if adaptation is engaged");
  if (!nuts_or_fixed && chains > 1)
    throw std::runtime_error("Error: num_chains is not available for the static HMC engine");
  const bool save_metric = adapt.flag("save_metric") && method.text("algorithm") == "hmc";
  for (unsigned i = 0; i < chains; ++i)
    metric_files.push_back(save_metric ? run.open_json_beside("_metric", run.id + i, chains > 1)
                                       : JsonWriter());
}

std::vector<Context> Sampling::metrics(const Context& identity) const {
  const std::string& path = hmc.text("metric_file");
  if (path.empty()) return std::vector<Context>(chains, identity);
  return read_per_chain(read_metric, path, run.id, chains);
}

int Sampling::finish(int code) {
  for (CsvWriter& file : diagnostics) file.finish();
  for (CsvWriter& file : draws) {
    file.finish();
    // Stan's samplers report success even if the first step size cannot be found.
    if (code == 0 && !file.has_columns())
      throw std::runtime_error("Error: a chain stopped before its first draw");
  }
  return code;
}

}  // namespace scistan::runner
