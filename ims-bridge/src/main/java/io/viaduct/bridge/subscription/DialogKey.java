package io.viaduct.bridge.subscription;

import io.viaduct.sip.SipRequest;

/// The dialog ID (RFC 3261 section 12): Call-ID, local tag, remote tag.
public record DialogKey(String callId, String localTag, String remoteTag) {
  private static final String SEPARATOR = "\n";

  /// Returns the dialog that a SUBSCRIBE belongs to.
  static DialogKey of(SipRequest subscribe) {
    return new DialogKey(subscribe.callId(), subscribe.to().tag(), subscribe.from().tag());
  }

  /// Returns the key among the entries that bridges share.
  String text() {
    return String.join(SEPARATOR, callId, localTag, remoteTag);
  }

  /// @throws IllegalArgumentException if it is no such text
  static DialogKey parse(String text) {
    String[] parts = text.split(SEPARATOR, -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("a dialog has three parts");
    }
    return new DialogKey(parts[0], parts[1], parts[2]);
  }
}
