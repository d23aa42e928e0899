// Input of a run: JSON data, start values and metrics, and draws in Stan CSV.
#pragma once

#include <stan/io/var_context.hpp>

#include <memory>
#include <string>
#include <vector>

namespace scistan::runner {

using Context = std::shared_ptr<stan::io::var_context>;

// The variables of a JSON file; none if the path is empty.
Context read_json(const std::string& path);

// The start metric in a JSON file: its `inv_metric` alone, as a saved metric also holds text.
Context read_metric(const std::string& path);

// One path per chain: "init_1.json", "init_2.json", ... if the first exists, else the path itself for all.
std::vector<std::string> chain_paths(const std::string& path, unsigned first_id, unsigned chains);

// What `read` makes of the path of each chain; a path they share is read once.
std::vector<Context> read_per_chain(Context (*read)(const std::string&), const std::string& path,
                                    unsigned first_id, unsigned chains);

bool has_extension(const std::string& path, const std::string& extension);

// The table of a Stan CSV file, comments dropped.
struct CsvTable {
  std::string path;
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;

  // The table with just these columns, in this order; throws if one is missing.
  CsvTable select(const std::vector<std::string>& columns) const;
};

CsvTable read_csv(const std::string& path);

}  // namespace scistan::runner
