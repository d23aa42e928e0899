// What the optimizers share: one method out of an algorithm with and without the change of variables.
#pragma once

#include "run.hpp"

namespace scistan::runner {

using Optimizer = int (*)(Run&, const Argument& algorithm, CsvWriter&);

template <Optimizer without_jacobian, Optimizer with_jacobian>
int optimize(Run& run) {
  run.require_parameters();
  CsvWriter csv = std::move(run.open_csv("file")[0]);
  const Optimizer climb = run.method.flag("jacobian") ? with_jacobian : without_jacobian;
  const int code = climb(run, run.method.at("algorithm/" + run.method.text("algorithm")), csv);
  csv.finish();
  return code;
}

}  // namespace scistan::runner
