package io.viaduct.cnapt.signalling;

import io.viaduct.cnapt.usage.ReportPublisher;
import java.util.concurrent.CompletableFuture;

/// A source of session tokens. Any thread may call the methods; they do not block.
public interface TokenSource extends AutoCloseable {
  /// Does the slow part of [#start] in advance, on a thread of the caller. Optional.
  default void prepare() {}

  /// Starts the source. The listener gets each ticket, on a thread of the source.
  void start(TicketListener listener);

  /// Requests another token, because the present one is unusable.
  void renew();

  /// Reacts to a change of the device's network.
  void networkChanged();

  /// Tells whether a session stands. While none does, a source may watch its own path.
  default void tunnel(boolean isUp) {}

  /// Sends a report of the device to the bridge.
  ///
  /// @param report serialized SignedDeviceReport
  default CompletableFuture<ReportPublisher.Answer> publish(byte[] report) {
    return CompletableFuture.completedFuture(ReportPublisher.Answer.UNSUPPORTED);
  }

  /// Returns the status of the source.
  SignallingStatus status();

  /// Stops the source cleanly; blocks for at most two seconds.
  @Override
  void close();

  /// Receives tickets.
  @FunctionalInterface
  interface TicketListener {
    void ticket(SessionTicket ticket);
  }
}
