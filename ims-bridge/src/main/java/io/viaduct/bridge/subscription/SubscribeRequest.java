package io.viaduct.bridge.subscription;

import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.util.List;
import java.util.Locale;

/// A SUBSCRIBE whose sender is known.
///
/// @param domain of this bridge, which refusals name
public record SubscribeRequest(IncomingRequest request, String user, String domain) {
  public SipRequest message() {
    return request.message();
  }

  /// Returns whether it opens a subscription, and belongs to none.
  public boolean isFirst() {
    return message().to().tag().isEmpty();
  }

  /// Returns whether the subscriber takes bodies of a media type (RFC 3261 section 20.1).
  public boolean accepts(String type) {
    List<String> accepted = message().headers().values("Accept");
    String all = type.substring(0, type.indexOf('/')) + "/*";
    return accepted.isEmpty()
        || accepted.stream()
            .map(range -> range.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))
            .anyMatch(List.of(type, all, "*/*")::contains);
  }

  /// Returns the Contact: the Request-URI of NOTIFYs.
  ///
  /// @throws IllegalArgumentException if there is none, or no SIP URI
  public String target() {
    return NameAddress.parse(message().headers().first("Contact").orElse("")).sipUri().toString();
  }

  /// Refuses a SUBSCRIBE that asks for a shorter expiry than the least.
  ///
  /// @return false if it does not
  public boolean isRefusedAsTooBrief(ExpiryBounds bounds, SipMeters meters) {
    if (!bounds.isTooBrief(this)) {
      return false;
    }
    meters.count(Refusal.INTERVAL_TOO_BRIEF);
    request.answer(
        Refusal.INTERVAL_TOO_BRIEF
            .response(message(), domain)
            .with("Min-Expires", Long.toString(bounds.least().toSeconds())));
    return true;
  }

  /// Answers 200.
  ///
  /// @param seconds until the subscription expires, 0: it has ended
  public void accept(SubscriptionDialog dialog, long seconds, SipMeters meters) {
    meters.count(seconds == 0 ? SipMeters.Event.UNSUBSCRIBED : SipMeters.Event.SUBSCRIBED);
    SipResponse ok = SipResponse.to(message(), 200);
    request.answer(
        dialog
            .path()
            .accepted(message(), ok.withHeaders(ok.headers().replaceFirst("To", dialog.local())))
            .with("Expires", Long.toString(seconds)));
  }

  public void refuse(Refusal reason, SipMeters meters) {
    meters.count(reason);
    request.answer(reason.response(message(), domain));
  }
}
