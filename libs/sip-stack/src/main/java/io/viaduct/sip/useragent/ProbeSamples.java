package io.viaduct.sip.useragent;

import org.jspecify.annotations.Nullable;

/// Means of the round trips and of the loss of SIP probes. Confined to the user agent's thread.
final class ProbeSamples {
  private static final double RECENT = 1.0 / 4;
  private static final double USUAL = 1.0 / 16;

  private final SampleMean recentMs = new SampleMean(RECENT);
  private final SampleMean usualMs = new SampleMean(USUAL);
  private final SampleMean loss = new SampleMean(RECENT);
  private final SampleMean usualLoss = new SampleMean(USUAL);
  private long sent;
  private long answered;
  private @Nullable Double lastMs;
  private @Nullable Long measuredMs;

  void sent() {
    sent++;
  }

  void answered(double roundTripMs, long atMs) {
    answered++;
    lastMs = roundTripMs;
    measuredMs = atMs;
    recentMs.sample(roundTripMs);
    usualMs.sample(roundTripMs);
    loss.sample(0);
    usualLoss.sample(0);
  }

  void lost() {
    loss.sample(100);
    usualLoss.sample(100);
  }

  SipRoundTrip roundTrip(boolean isAlone) {
    return new SipRoundTrip(
        lastMs,
        known(recentMs),
        known(usualMs),
        known(loss),
        known(usualLoss),
        sent,
        answered,
        measuredMs,
        isAlone);
  }

  private static @Nullable Double known(SampleMean mean) {
    return Double.isNaN(mean.value()) ? null : mean.value();
  }
}
