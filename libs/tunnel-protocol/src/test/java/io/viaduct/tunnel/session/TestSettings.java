package io.viaduct.tunnel.session;

import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.pacing.Pacing;
import io.viaduct.tunnel.terms.CompressionContext;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;

/// Makes settings that differ from the defaults only in one value.
final class TestSettings {
  private static final TunnelSettings DEFAULTS = TunnelSettings.defaults();

  private TestSettings() {}

  static TunnelSettings of(CompressionContext context) {
    return of(DEFAULTS.historyBytes(), context, DEFAULTS.compoundPercent());
  }

  static TunnelSettings ofHistory(int bytes) {
    return of(bytes, DEFAULTS.context(), DEFAULTS.compoundPercent());
  }

  static TunnelSettings of(Pacing pacing) {
    return of(DEFAULTS.historyBytes(), DEFAULTS.context(), DEFAULTS.compoundPercent(), pacing);
  }

  static TunnelSettings of(int historyBytes, CompressionContext context, int compoundPercent) {
    return of(historyBytes, context, compoundPercent, DEFAULTS.pacing());
  }

  private static TunnelSettings of(
      int historyBytes, CompressionContext context, int compoundPercent, Pacing pacing) {
    return new TunnelSettings(
        context,
        compoundPercent,
        DEFAULTS.classDeadlines(),
        DEFAULTS.classQueueBytes(),
        DEFAULTS.floorPercent(),
        DEFAULTS.scheduling(),
        pacing,
        DEFAULTS.flowsMax(),
        DEFAULTS.udpIdle(),
        DEFAULTS.tcpIdle(),
        DEFAULTS.icmpIdle(),
        historyBytes);
  }

  /// Returns the terms on which two ends with the defaults agree.
  static TunnelTerms terms(AeadAlgorithm aead, SessionSecret secret, int peerReceiverIndex) {
    TunnelLimits limits = new TunnelLimits(1500, DEFAULTS.historyBytes());
    return new TunnelTerms(aead, secret, peerReceiverIndex, limits);
  }
}
