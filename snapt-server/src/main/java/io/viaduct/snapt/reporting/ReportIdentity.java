package io.viaduct.snapt.reporting;

import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.UsageReport;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The identity of a report of this SNAPT. It stays the same when the report is sent again. The
/// order is the order of sending: by start of the SNAPT, then by interval, so that all sessions
/// make progress.
///
/// @param epoch start counter of the SNAPT
/// @param sequence sequence number of the session's interval: 0, 1, 2 …
/// @param session session id, issued by this SNAPT
public record ReportIdentity(long epoch, long sequence, UUID session)
    implements Comparable<ReportIdentity> {
  private static final Pattern FILE =
      Pattern.compile("(\\d{1,19})-(\\d{1,19})-([0-9a-f-]{36})\\.report");
  private static final Comparator<ReportIdentity> ORDER =
      Comparator.comparingLong(ReportIdentity::epoch)
          .thenComparingLong(ReportIdentity::sequence)
          .thenComparing(ReportIdentity::session);

  /// Returns the identity of a report.
  ///
  /// @throws IllegalArgumentException if the session id is not a UUID
  public static ReportIdentity of(UsageReport report) {
    return new ReportIdentity(
        report.getEpoch(), report.getSequence(), UUID.fromString(report.getSessionId()));
  }

  /// Returns the identity of the report that a boundary belongs to.
  ///
  /// @param boundary boundary that includes its session
  /// @throws IllegalArgumentException if the session id is not a UUID
  public static ReportIdentity of(IntervalBoundary boundary) {
    return new ReportIdentity(
        boundary.getEpoch(), boundary.getSequence(), UUID.fromString(boundary.getSessionId()));
  }

  /// Returns the identity of the report that the bridge answered, or empty if it cannot be a report
  /// of this SNAPT.
  static Optional<ReportIdentity> of(ReportAck ack) {
    try {
      return Optional.of(
          new ReportIdentity(
              ack.getEpoch(), ack.getSequence(), UUID.fromString(ack.getSessionId())));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  static Optional<ReportIdentity> ofFile(String name) {
    Matcher matcher = FILE.matcher(name);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new ReportIdentity(
              Long.parseLong(matcher.group(1)),
              Long.parseLong(matcher.group(2)),
              UUID.fromString(matcher.group(3))));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  String fileName() {
    return epoch + "-" + sequence + "-" + session + ".report";
  }

  @Override
  public int compareTo(ReportIdentity other) {
    return ORDER.compare(this, other);
  }
}
