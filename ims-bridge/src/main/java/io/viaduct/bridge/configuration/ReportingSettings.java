package io.viaduct.bridge.configuration;

import static io.viaduct.bridge.configuration.Rules.require;

import java.time.Duration;

/// Bounds on reports.
///
/// @param interval interval between usage reports, sent to agents with their token
/// @param bytes longest signed report, in bytes
/// @param unacknowledged most reports of one SNAPT without an acknowledgement
/// @param sip true if SNAPTs may report by SIP; bodies of SIP messages may then be as long as a
///   report
public record ReportingSettings(Duration interval, int bytes, int unacknowledged, boolean sip) {
  public ReportingSettings {
    require(interval.toSeconds() >= 1, "interval must be >= 1s", interval);
    require(bytes >= 1024 && bytes <= 1 << 20, "bytes must be 1024..1048576", bytes);
    require(unacknowledged >= 1, "unacknowledged must be >= 1", unacknowledged);
  }
}
