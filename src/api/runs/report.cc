#include "src/api/runs/report.h"

#include "src/base/json_fields.h"
#include "src/report/document/report.h"

namespace wattree {

Result<ReportRequest> report_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  ReportRequest out{read_run(fields, "profile"), read_setting(json, fields), read_epochs(fields),
                    read_unit(fields), ReportFormat::kMarkdown};
  const std::string format = fields.text("format");
  if (format == "html") {
    out.format = ReportFormat::kHtml;
  } else if (!format.empty() && format != "markdown") {
    fields.complain("format", "must be markdown or html");
  }
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<ReportAnswer> report(const ReportRequest& request, const Services& services) {
  Result<Profile> profile = load_profile(request.profile, services);
  if (!profile.ok()) return profile.error();
  const Result<Footprint> footprint =
      footprint_of(std::move(profile).value(), request.setting, request.epochs);
  if (!footprint.ok()) return footprint.error();
  const bool is_html = request.format == ReportFormat::kHtml;
  return ReportAnswer{request.format, is_html ? html_report(footprint.value(), request.unit)
                                              : markdown_report(footprint.value(), request.unit)};
}

}  // namespace wattree
