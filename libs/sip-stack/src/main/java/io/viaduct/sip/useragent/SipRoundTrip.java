package io.viaduct.sip.useragent;

import org.jspecify.annotations.Nullable;

/// The path to the registrar as SIP probes measure it.
///
/// @param lastMs last round trip in milliseconds, with the registrar's processing; null before the
///   first answer
/// @param sent number of probes
/// @param answered number of those with an answer
public record SipRoundTrip(@Nullable Double lastMs, long sent, long answered) {
  static final SipRoundTrip NONE = new SipRoundTrip(null, 0, 0);
}
