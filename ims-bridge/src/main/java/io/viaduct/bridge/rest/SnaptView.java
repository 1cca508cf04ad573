package io.viaduct.bridge.rest;

import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.directory.SnaptEntry;
import io.viaduct.bridge.reporting.ReportMeters;
import io.viaduct.usage.v1.SnaptState;
import io.viaduct.usage.v1.SnaptStatus;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// A SNAPT in the REST interface.
///
/// @param reportsRefused number of its reports that the bridge has refused since the bridge
///   started, by reason
/// @param duplicatesRefused number of processes that announced this id while another process held
///   it
/// @param duplicateFrom address of the last such process
/// @param seenAt RFC 3339, absent before the first announcement
/// @param state up, stale or unknown
/// @param drain draining, or serving; absent before the first announcement
/// @param drainDeadlineAt RFC 3339: when its sessions end; absent without a deadline
/// @param loadPercent 0 to 100
/// @param surcharges of its owner now, micro-denarii per gigabyte by class: LT&LD, HT&LD, LT&HD,
///   HT&HD; empty if nothing is asked
record SnaptView(
    String id,
    String host,
    int controlPort,
    int dataPort,
    String region,
    String owner,
    long epoch,
    long sessions,
    long sessionsLimit,
    double upBitPerSecond,
    double downBitPerSecond,
    long reportsPending,
    String version,
    long datagramsRefused,
    SortedMap<String, Long> reportsRefused,
    long duplicatesRefused,
    @Nullable String duplicateFrom,
    @Nullable String seenAt,
    String state,
    @Nullable String drain,
    @Nullable String drainDeadlineAt,
    int loadPercent,
    List<Long> surcharges) {
  static SnaptView of(
      SnaptEntry entry,
      SnaptDirectory directory,
      SnaptClaims claims,
      ReportMeters reports,
      Instant now) {
    SnaptClaims.Duplicates duplicates = claims.duplicates(entry.configured().id());
    SnaptStatus s = entry.status() == null ? SnaptStatus.getDefaultInstance() : entry.status();
    return new SnaptView(
        entry.configured().id(),
        s.getHost(),
        s.getControlPort(),
        s.getDataPort(),
        entry.region(),
        entry.configured().owner(),
        s.getEpoch(),
        s.getSessions(),
        s.getSessionsLimit(),
        s.getUpBitPerSecond(),
        s.getDownBitPerSecond(),
        s.getReportsPending(),
        s.getVersion(),
        s.getDatagramsRefused(),
        reports.refusalsOf(entry.configured().id()),
        duplicates.refused(),
        duplicates.refusedFrom(),
        entry.seen() == null ? null : entry.seen().toString(),
        directory.state(entry).name().toLowerCase(Locale.ROOT),
        entry.status() == null
            ? null
            : s.getState() == SnaptState.DRAINING ? "draining" : "serving",
        s.getDrainDeadlineMs() == 0
            ? null
            : Instant.ofEpochMilli(s.getDrainDeadlineMs()).toString(),
        s.getLoadPercent(),
        entry.enrolled().surcharges().at(now));
  }
}
