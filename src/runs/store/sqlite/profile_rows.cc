#include "src/runs/store/sqlite/profile_rows.h"

#include "src/runs/profile/profile_json.h"
#include "src/runs/store/sqlite/packed_text.h"

namespace wattree {
namespace {

std::optional<std::int64_t> microseconds(const std::optional<UtcTime>& time) {
  if (!time) return std::nullopt;
  return time->time_since_epoch().count();
}

std::optional<UtcTime> time_of(std::optional<std::int64_t> microseconds) {
  if (!microseconds) return std::nullopt;
  return UtcTime(std::chrono::microseconds(*microseconds));
}

template <class Unit>
std::optional<double> value_of(const std::optional<Unit>& quantity) {
  if (!quantity) return std::nullopt;
  return quantity->value;
}

template <class Unit>
std::optional<Unit> quantity_of(std::optional<double> value) {
  if (!value) return std::nullopt;
  return Unit(*value);
}

// The columns that say what is in a profile, in the order of `summary_columns()`.
void bind_content(Statement& statement, const ProfileSummary& summary) {
  statement.bind(std::string_view(summary.author))
      .bind(std::string_view(summary.region))
      .bind(std::string_view(summary.location))
      .bind(std::string_view(summary.hardware))
      .bind(name_of(summary.status))
      .bind(name_of(summary.origin))
      .bind(std::string_view(summary.error))
      .bind(summary.epochs)
      .bind(summary.planned_epochs)
      .bind(value_of(summary.duration))
      .bind(value_of(summary.energy))
      .bind(value_of(summary.outside));
  if (summary.provenance) {
    statement.bind(name_of(summary.provenance->basis))
        .bind(std::string_view(summary.provenance->by))
        .bind(name_of(summary.provenance->boundary));
  } else {
    statement.bind_null().bind_null().bind_null();
  }
  statement.bind(microseconds(summary.started));
}

}  // namespace

std::string summary_columns() {
  return "p.key, p.id, p.name, p.author, p.region, p.location, p.hardware, p.status, p.origin, "
         "p.error, p.epochs, p.planned_epochs, p.duration_s, p.energy_j, p.outside_j, p.basis, "
         "p.basis_by, p.boundary, p.started_us, p.added_us, p.deleted_us";
}

ProfileSummary summary_in(const Statement& row) {
  ProfileSummary out;
  out.id = row.text(1);
  out.name = row.text(2);
  out.author = row.text(3);
  out.region = row.text(4);
  out.location = row.text(5);
  out.hardware = row.text(6);
  out.status = parse_profile_status(row.text(7)).value_or(ProfileStatus::kUnreadable);
  out.origin = parse_profile_origin(row.text(8)).value_or(ProfileOrigin::kImported);
  out.error = row.text(9);
  out.epochs = row.whole(10);
  out.planned_epochs = row.maybe_whole(11);
  out.duration = quantity_of<Seconds>(row.maybe_number(12));
  out.energy = quantity_of<Joules>(row.maybe_number(13));
  out.outside = quantity_of<Joules>(row.maybe_number(14));
  const std::optional<Basis> basis = parse_basis(row.text(15));
  const std::optional<Boundary> boundary = parse_boundary(row.text(17));
  if (basis && boundary) out.provenance = Provenance{*basis, row.text(16), *boundary};
  out.started = time_of(row.maybe_whole(18));
  out.added = UtcTime(std::chrono::microseconds(row.whole(19)));
  out.deleted = time_of(row.maybe_whole(20));
  return out;
}

std::optional<ProfileRow> find_row(Database& database, std::string_view id) {
  ProfileRow out;
  {
    Statement find(database, "SELECT " + summary_columns() + " FROM profiles p WHERE p.id = ?");
    find.bind(id);
    if (!find.step()) return std::nullopt;
    out = {find.whole(0), summary_in(find)};
  }
  out.summary.tags = tags_of(database, out.key);
  return out;
}

std::vector<std::string> tags_of(Database& database, std::int64_t key) {
  Statement find(database, "SELECT tag FROM tags WHERE profile = ? ORDER BY tag");
  find.bind(key);
  std::vector<std::string> out;
  while (find.step()) out.push_back(find.text(0));
  return out;
}

void write_tags(Database& database, std::int64_t key, const std::vector<std::string>& tags) {
  Statement(database, "DELETE FROM tags WHERE profile = ?").bind(key).run();
  for (const std::string& tag : tags) {
    Statement(database, "INSERT OR IGNORE INTO tags (profile, tag) VALUES (?, ?)")
        .bind(key)
        .bind(std::string_view(tag))
        .run();
  }
}

std::string free_id(Database& database, const std::string& wanted) {
  std::string id = wanted;
  for (std::int64_t number = 2; database.ok(); ++number) {
    Statement find(database, "SELECT 1 FROM profiles WHERE id = ?");
    if (!find.bind(std::string_view(id)).step()) break;
    id = wanted + "-" + std::to_string(number);
  }
  return id;
}

std::int64_t insert_row(Database& database, const ProfileSummary& summary) {
  Statement insert(database,
                   "INSERT INTO profiles (author, region, location, hardware, status, origin, "
                   "error, epochs, planned_epochs, duration_s, energy_j, outside_j, basis, "
                   "basis_by, boundary, started_us, id, name, added_us) VALUES (?, ?, ?, ?, ?, ?, "
                   "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING key");
  bind_content(insert, summary);
  insert.bind(std::string_view(summary.id))
      .bind(std::string_view(summary.name))
      .bind(summary.added.time_since_epoch().count());
  const std::int64_t key = insert.step() ? insert.whole(0) : 0;
  insert.run();
  return key;
}

void update_row(Database& database, std::int64_t key, const ProfileSummary& summary) {
  Statement update(database,
                   "UPDATE profiles SET author = ?, region = ?, location = ?, hardware = ?, "
                   "status = ?, origin = ?, error = ?, epochs = ?, planned_epochs = ?, "
                   "duration_s = ?, energy_j = ?, outside_j = ?, basis = ?, basis_by = ?, "
                   "boundary = ?, started_us = ?, name = iif(is_renamed, name, ?), "
                   "deleted_us = NULL WHERE key = ?");
  bind_content(update, summary);
  update.bind(std::string_view(summary.name)).bind(key).run();
}

Result<PackedProfile> pack_profile(const Profile& profile) {
  const std::string text = write_profile_json(profile, 0);
  Result<std::string> packed = pack_text(text);
  if (!packed.ok()) return packed.error();
  return PackedProfile{static_cast<std::int64_t>(text.size()), std::move(packed).value()};
}

void write_document(Database& database, std::int64_t key, const PackedProfile& document) {
  if (document.bytes == 0) {
    Statement(database, "DELETE FROM documents WHERE profile = ?").bind(key).run();
    return;
  }
  Statement(database, "INSERT OR REPLACE INTO documents (profile, bytes, zlib) VALUES (?, ?, ?)")
      .bind(key)
      .bind(document.bytes)
      .bind_blob(document.zlib)
      .run();
}

Result<PackedProfile> read_document(Database& database, std::int64_t key) {
  PackedProfile out;
  {
    Statement find(database, "SELECT bytes, zlib FROM documents WHERE profile = ?");
    find.bind(key);
    if (find.step()) out = {find.whole(0), find.blob(1)};
  }
  if (Status failure = database.take_failure(); !failure.ok()) return failure.error();
  return out;
}

Result<Profile> unpack_profile(const PackedProfile& document, const std::string& id) {
  const Result<std::string> text = unpack_text(document.zlib, document.bytes);
  if (!text.ok()) return text.error();
  return read_profile_json(text.value(), id);
}

}  // namespace wattree
