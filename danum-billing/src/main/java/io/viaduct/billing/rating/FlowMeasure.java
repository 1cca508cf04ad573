package io.viaduct.billing.rating;

import io.viaduct.billing.tariff.ServiceClass;
import org.jspecify.annotations.Nullable;

/// A SNAPT's measurement of one flow in one interval, both directions together.
///
/// @param serviceClass class of service that carried the flow
/// @param application name in the classification table; an unknown name is priced as its class
/// @param preBytes inner IP bytes
/// @param postBytes outer IP bytes
/// @param loss lost share of packets that the price counts, lost / (lost + received), 0 to
///   `LOSS_MAX`; 0 if no packet was sent
/// @param durationMs part of the interval in which the flow existed, milliseconds, >= 1
/// @param delayMs one-way delay as reported, milliseconds, possibly negative
/// @param delayErrorMs bound on the error of the delay, milliseconds, never negative; null if the
///   SNAPT does not know it
/// @param delaySource where the SNAPT took the delay from
/// @param demand how much the flow had to send, and what the path had left
/// @param call number of the call that carries the flow and is charged per second, so that its
///   bytes cost nothing (ADR 0069); null for all other flows
public record FlowMeasure(
    ServiceClass serviceClass,
    String application,
    long preBytes,
    long postBytes,
    double loss,
    long durationMs,
    double delayMs,
    @Nullable Double delayErrorMs,
    DelaySource delaySource,
    Demand demand,
    @Nullable Long call) {
  /// Largest loss that a price counts. All loss is the device's word, and with a loss-slope of 5 a
  /// share of 20 % would make the charge zero. So a lie makes it cheaper by a quarter at most.
  public static final double LOSS_MAX = 0.05;

  /// Makes the measurement of a flow that no call carries.
  public FlowMeasure(
      ServiceClass serviceClass,
      String application,
      long preBytes,
      long postBytes,
      double loss,
      long durationMs,
      double delayMs,
      @Nullable Double delayErrorMs,
      DelaySource delaySource,
      Demand demand) {
    this(
        serviceClass,
        application,
        preBytes,
        postBytes,
        loss,
        durationMs,
        delayMs,
        delayErrorMs,
        delaySource,
        demand,
        null);
  }

  /// Returns the same flow as one that a call carries.
  ///
  /// @param by number of the call; null for none
  public FlowMeasure carried(@Nullable Long by) {
    return new FlowMeasure(
        serviceClass,
        application,
        preBytes,
        postBytes,
        loss,
        durationMs,
        delayMs,
        delayErrorMs,
        delaySource,
        demand,
        by);
  }

  /// Returns the bytes by which the flow shares the session's access fee per minute.
  public long feeBytes() {
    return call == null ? preBytes : 0;
  }

  /// Returns true if both flows are of one application, in the class that carried it: then their
  /// operating points depend on each other.
  public boolean isPricedWith(FlowMeasure other) {
    return serviceClass == other.serviceClass && application.equals(other.application);
  }

  /// Returns the bytes that aggregation saved, never negative.
  public long savedBytes() {
    return Math.max(0, preBytes - postBytes);
  }
}
