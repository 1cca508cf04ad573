package io.viaduct.cnapt.usage;

import java.util.concurrent.CompletableFuture;

/// The way of reports to the bridge.
@FunctionalInterface
public interface ReportPublisher {
  /// The bridge's answer to a report.
  enum Answer {
    /// Billing has it.
    TAKEN,
    /// Billing never takes it.
    REFUSED,
    /// Not now: no answer, or billing is away.
    LATER,
    /// The bridge, or the way to it, knows no reports of devices.
    UNSUPPORTED
  }

  /// Sends a report. Any thread may call this; it does not block.
  ///
  /// @param report serialized SignedDeviceReport
  CompletableFuture<Answer> publish(byte[] report);
}
