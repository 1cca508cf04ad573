package io.viaduct.webgui.bridge;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// SIP messages that the bridge has refused since its start, by cause.
///
/// @param refusals the most frequent first; causes that never occurred are left out
public record SipRefusals(List<Line> refusals) {
  public SipRefusals {
    refusals = List.copyOf(refusals);
  }

  /// One cause.
  ///
  /// @param part message (broken bytes and limits), request or credentials
  /// @param reason as in the bridge's metrics
  /// @param words what is wrong, in English; null from a bridge of an earlier version
  public record Line(String part, String reason, @Nullable String words, long count) {}
}
