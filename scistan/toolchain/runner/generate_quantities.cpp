// generate_quantities: the generated quantities of draws that an earlier run wrote.
#include "points.hpp"

#include <tbb/parallel_for.h>

#include <limits>
#include <sstream>

namespace scistan::runner {

namespace {

void generate(const Run& run, unsigned id, const std::string& draws, std::size_t parameters,
              std::size_t columns, CsvWriter& csv) {
  // Each chain has its own stream of random numbers, also when cmdstanpy runs one process per chain.
  stan::rng_t rng = stan::services::util::create_rng(run.seed, id);
  std::vector<int> no_integers;
  for (Point& point : read_constrained(run, draws)) {
    std::ostringstream messages;
    std::vector<double> values;
    try {
      run.model.write_array(rng, point, no_integers, values, false, true, &messages);
    } catch (const std::domain_error& fault) {
      messages << fault.what();
      values.clear();
    }
    values.resize(columns, std::numeric_limits<double>::quiet_NaN());
    if (!messages.str().empty()) run.logger.info(messages.str());
    csv(std::vector<double>(values.begin() + parameters, values.end()));
  }
  csv.finish();
}

int generate_quantities(Run& run) {
  const unsigned chains = run.method.integer("num_chains");
  const std::size_t parameters = constrained_names(run.model).size();
  std::vector<std::string> names;
  run.model.constrained_param_names(names, false, true);
  if (names.size() == parameters)
    throw std::runtime_error("Error: model doesn't generate any quantities of interest");

  const std::vector<std::string> draws = chain_paths(run.input_path("fitted_params"), run.id, chains);
  std::vector<CsvWriter> files = run.open_csv("file", chains);
  for (CsvWriter& csv : files)
    csv(std::vector<std::string>(names.begin() + parameters, names.end()));
  tbb::parallel_for(0u, chains, [&](unsigned i) {
    generate(run, run.id + i, draws[i], parameters, names.size(), files[i]);
  });
  return 0;
}

const Registration registered("generate_quantities", generate_quantities);

}  // namespace

}  // namespace scistan::runner
