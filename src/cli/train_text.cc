#include "src/cli/train_text.h"

#include <fmt/format.h>

#include "src/base/text.h"
#include "src/cli/learn_flags.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

// Six significant digits would be noise; three tell 2.49 mJ from 2.51.
std::string amount(double value) { return value == 0 ? "0" : fmt::format("{:.3g}", value); }

std::string coefficients(const Predictor& p) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    if (!p.kinds[i]) continue;
    const auto kind = static_cast<WorkKind>(i);
    const auto terms = terms_of(kind);
    for (std::size_t t = 0; t < terms.size(); ++t) {
      rows.push_back({t == 0 ? std::string(name_of(kind)) : "", std::string(terms[t].name),
                      amount(1e3 * p.kinds[i]->energy[t]), amount(1e6 * p.kinds[i]->time[t]),
                      "per " + std::string(terms[t].unit),
                      t == 0 ? fmt::format("{}", p.kinds[i]->samples) : ""});
    }
  }
  return render_table(
      {{"kernels"}, {"term"}, {"mJ", true}, {"µs", true}, {""}, {"measurements", true}}, rows);
}

std::string power_law(const PowerLaw& law) {
  std::vector<std::vector<std::string>> rows{
      {"counter factor", fmt::format("{:.4f}", law.counter_factor), "J per J of the GPU's counter"},
      {"rest of the machine", fmt::format("{:.2f}", law.base_w), "W while it runs"},
      {"processor", fmt::format("{:.3f}", law.cpu_w_per_percent), "W per % of all threads busy"},
  };
  return render_table({{"from reading to meter"}, {"", true}, {""}}, rows);
}

std::string device_text(const Predictor& p) {
  std::string out = fmt::format("Idle: {:.1f} W.\n", p.idle_w);
  if (p.power_cap) {
    out += fmt::format(
        "At the limit of {:.0f} W a pass takes longer by (power / limit)^{:.3f}, from {} passes.\n",
        p.power_cap->limit_w, p.power_cap->exponent, p.power_cap->samples);
  }
  if (p.eager) {
    out += fmt::format(
        "Launched one by one: {:.1f} µs a kernel, {:.1f} µs more for a library's, and {:.1f} µs a "
        "module, waiting at {:.0f} W, from "
        "{} passes.\n",
        1e6 * p.eager->per_kernel_s, 1e6 * p.eager->per_call_s, 1e6 * p.eager->per_module_s,
        p.eager->waiting_w, p.eager->samples);
  }
  return out;
}

std::string errors(const Predictor& p) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    if (!p.errors[k]) continue;
    std::vector<std::string> row{std::string(name_of(static_cast<Known>(k)))};
    for (const double error : {p.errors[k]->ml, p.errors[k]->module, p.errors[k]->model}) {
      row.push_back(percent_cell(error));
    }
    for (std::size_t l = 0; l < 3; ++l) {
      row.push_back(p.spreads[k] ? "± " + percent_cell(100 * p.spreads[k]->energy[l]) : "–");
    }
    rows.push_back(std::move(row));
  }
  return render_table({{"error and 90 % interval, in %, by what is known"},
                       {"ml", true},
                       {"module", true},
                       {"model", true},
                       {"ml", true},
                       {"module", true},
                       {"model", true}},
                      rows);
}

// The weights of standardised features: joules for one standard deviation of each.
std::string leaves_of(const IreneModel& model) {
  const auto names = feature_names(model.options.features);
  std::vector<Column> columns{{"J per standard deviation of"}};
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view name : names) rows.push_back({std::string(name)});
  rows.push_back({"intercept"});
  rows.push_back({"rows"});
  for (const auto& [type, leaf] : model.leaves) {
    columns.push_back({type, true});
    for (std::size_t i = 0; i < names.size(); ++i)
      rows[i].push_back(amount(leaf.linear.weights[i]));
    rows[names.size()].push_back(amount(leaf.linear.intercept));
    rows[names.size() + 1].push_back(std::to_string(leaf.rows));
  }
  return render_table(columns, rows);
}

std::string text_of(const Predictor& p) {
  std::string out =
      p.is_by_kernel
          ? fmt::format("from {} measurements of {} models' kernels, modules and passes\n\n",
                        p.measurements, p.models.size())
          : fmt::format("from {} trees of {} models, {} distinct leaves, {} twins\n\n", p.trees,
                        p.models.size(), p.measurements, p.twins.size());
  out += coefficients(p);
  if (p.power_law) out += "\n" + power_law(*p.power_law);
  if (p.is_by_kernel) out += "\n" + device_text(p);
  return out + "\n" + errors(p);
}

std::string text_of(const IrenePredictor& p) {
  std::string out = fmt::format("from {} trees of {} models\n\n", p.trees, p.models.size());
  out += leaves_of(p.model);
  if (p.model.options.aggregate != IreneAggregate::kSum) {
    out += fmt::format("\nInner nodes: {} weights of monomials up to degree {}\n",
                       p.model.inner.linear.weights.size(), kIreneDegree);
  }
  return out + "\n" +
         render_table(
             {{"error in %, leave-one-model-out"}, {"ml", true}, {"module", true}, {"model", true}},
             {{"all nodes", percent_cell(p.errors[0]), percent_cell(p.errors[1]),
               percent_cell(p.errors[2])}});
}

}  // namespace

std::string text_of(const TrainAnswer& answer) {
  std::string out = fmt::format(
      "{}, {}", name_of(answer.aggregate),
      std::visit([](const auto& predictor) { return text_of(predictor); }, answer.predictor));
  if (!answer.models_left_out.empty()) {
    out += "\nNot taken in: " + in_words(answer.models_left_out) + "\n";
  }
  return out;
}

}  // namespace wattree
