package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reports of devices that no report of the SNAPT has answered, latest first.
///
/// @param provisional number of those that are not charged yet; null in the list of all accounts
/// @param expectedMicrodenarii what they are expected to cost together; null likewise
/// @param next cursor of the page of older ones, null on the last page
public record DeviceReports(
    @Nullable Long provisional,
    @Nullable MicroDenarii expectedMicrodenarii,
    List<Report> deviceReports,
    @Nullable String next) {
  private static final Set<String> STATES = Set.of("provisional", "final_provisional", "uncharged");

  public DeviceReports {
    deviceReports = List.copyOf(deviceReports);
  }

  /// A report.
  ///
  /// @param bytes bytes of both directions, by the device
  /// @param expectedMicrodenarii what it costs without the SNAPT's report
  public record Report(
      String id,
      @Nullable String snapt,
      @Nullable String account,
      @Nullable Instant start,
      long bytes,
      MicroDenarii expectedMicrodenarii,
      @Nullable String state) {
    public Report {
      Objects.requireNonNull(id);
      Objects.requireNonNull(expectedMicrodenarii);
    }

    /// The state, if the pages have a word for it.
    public @Nullable String knownState() {
      return state != null && STATES.contains(state) ? state : null;
    }
  }
}
