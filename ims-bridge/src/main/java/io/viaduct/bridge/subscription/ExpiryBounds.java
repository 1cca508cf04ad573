package io.viaduct.bridge.subscription;

import java.time.Duration;

/// Bounds of the expiry of subscriptions (RFC 6665 section 4.2.1.1).
///
/// @param usual expiry of a SUBSCRIBE that asks for none
public record ExpiryBounds(Duration least, Duration most, Duration usual) {
  /// Returns the expiry that a SUBSCRIBE asks for, in seconds; 0 ends the subscription.
  long asked(SubscribeRequest subscribe) {
    return subscribe
        .message()
        .headers()
        .first("Expires")
        .map(Long::parseLong)
        .orElse(usual.toSeconds());
  }

  /// Returns the expiry that a SUBSCRIBE gets, in seconds.
  public long granted(SubscribeRequest subscribe) {
    return Math.min(asked(subscribe), most.toSeconds());
  }

  boolean isTooBrief(SubscribeRequest subscribe) {
    long asked = asked(subscribe);
    return asked != 0 && asked < least.toSeconds();
  }
}
