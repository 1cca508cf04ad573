package io.viaduct.sip.useragent;

import org.jspecify.annotations.Nullable;

/// The path to the registrar as SIP probes measure it. Round trips are in milliseconds and contain
/// the registrar's processing. They have two means: the recent one of about 4 probes, and the usual
/// one of about 16. So has the loss, the share of probes without an answer.
///
/// @param lastMs last round trip; null before the first answer, as the means
/// @param lossPercent recent loss; null before the first probe is answered or given up
/// @param sent number of probes
/// @param answered number of those with an answer
/// @param measuredMs Unix time of the last answer; null before it
/// @param isAlone true if probes are answered although no tunnel has stood for 10 s
public record SipRoundTrip(
    @Nullable Double lastMs,
    @Nullable Double recentMs,
    @Nullable Double usualMs,
    @Nullable Double lossPercent,
    @Nullable Double usualLossPercent,
    long sent,
    long answered,
    @Nullable Long measuredMs,
    boolean isAlone) {
  static final SipRoundTrip NONE =
      new SipRoundTrip(null, null, null, null, null, 0, 0, null, false);
}
