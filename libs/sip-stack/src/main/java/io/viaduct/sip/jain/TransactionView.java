package io.viaduct.sip.jain;

import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeader;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.util.List;
import java.util.Set;

/// Reduces a message to the headers that a transaction needs. The stack parses every header that it
/// gets, and its faults are in the parsers of rare headers.
final class TransactionView {
  private static final Set<String> NEEDED =
      Set.of("via", "from", "to", "call-id", "cseq", "max-forwards");

  /// Further headers that the stack's check of requests to send demands (RFC 6665).
  private static final Set<String> NEEDED_TO_SEND =
      Set.of("contact", "event", "subscription-state");

  private TransactionView() {}

  static byte[] received(SipResponse response) {
    return reduce(response, Set.of());
  }

  static byte[] sent(SipRequest request) {
    return reduce(request, NEEDED_TO_SEND);
  }

  private static byte[] reduce(SipMessage message, Set<String> more) {
    List<SipHeader> kept =
        message.headers().list().stream()
            .filter(header -> {
              String name = header.name().toLowerCase(java.util.Locale.ROOT);
              return NEEDED.contains(name) || more.contains(name);
            })
            .toList();
    SipHeaders headers = new SipHeaders(kept);
    return switch (message) {
      case SipRequest request -> new SipRequest(request.method(), request.uri(), headers).encode();
      case SipResponse response ->
          new SipResponse(response.status(), "-", headers, SipBody.EMPTY).encode();
    };
  }
}
