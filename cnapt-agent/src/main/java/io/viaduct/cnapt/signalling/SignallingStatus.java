package io.viaduct.cnapt.signalling;

import org.jspecify.annotations.Nullable;

/// The status of a token source.
///
/// @param source `sip:user@domain` or the token file
/// @param registration `active`, `trying`, `waiting` or `idle`
/// @param subscription state of the subscription to the session event, with the same values
/// @param detail the last error, or empty
/// @param probes the path to the bridge, measured by SIP
public record SignallingStatus(
    String source, String registration, String subscription, String detail, Probes probes) {

  /// The path to the bridge as SIP probes measure it: a MESSAGE with Timestamp. Round trips contain
  /// the bridge's processing and, over UDP, the wait for a retransmission.
  ///
  /// @param bridge host of the bridge; empty without SIP
  /// @param roundTripMs mean of about 4 probes; null before the first answer
  /// @param usualRoundTripMs mean of about 16 probes
  /// @param lossPercent probes without an answer, mean of about 4; null before the first result
  /// @param usualLossPercent mean of about 16
  /// @param sent number of probes
  /// @param answered number of those with an answer
  /// @param agoMs time since the last answer; null before it
  /// @param isAlone true if probes are answered although no control connection has stood for 10 s
  public record Probes(
      String bridge,
      @Nullable Double roundTripMs,
      @Nullable Double usualRoundTripMs,
      @Nullable Double lossPercent,
      @Nullable Double usualLossPercent,
      long sent,
      long answered,
      @Nullable Long agoMs,
      boolean isAlone) {
    /// The probes of a source that sends none.
    public static final Probes NONE = new Probes("", null, null, null, null, 0, 0, null, false);

    private Probes besideTunnel() {
      return new Probes(
          bridge,
          roundTripMs,
          usualRoundTripMs,
          lossPercent,
          usualLossPercent,
          sent,
          answered,
          agoMs,
          false);
    }
  }

  /// Returns the same status, in which SIP is not alone: packets reach the SNAPT.
  public SignallingStatus besideTunnel() {
    return new SignallingStatus(source, registration, subscription, detail, probes.besideTunnel());
  }

  /// Returns the status of a source without SIP probes.
  static SignallingStatus idle(String source, String detail) {
    return new SignallingStatus(source, "idle", "idle", detail, Probes.NONE);
  }
}
