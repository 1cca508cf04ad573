package io.viaduct.bridge.token;

import io.viaduct.bridge.directory.RelayAddresses;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipRequest;
import java.time.Instant;

/// Makes the NOTIFYs of sessions: each has a token, the list of SNAPTs and the state of the credit.
final class SessionGrants {
  static final String TYPE = "application/json";

  private final SessionNotifier.Settings settings;
  private final RelayAddresses addresses;
  private final TokenIssuer tokens;

  SessionGrants(SessionNotifier.Settings settings, RelayAddresses addresses, TokenIssuer tokens) {
    this.settings = settings;
    this.addresses = addresses;
    this.tokens = tokens;
  }

  /// Returns when the token of a NOTIFY should be replaced.
  Instant renewal(Instant now) {
    return now.plus(tokens.renewAfter());
  }

  /// Returns the NOTIFY of a subscription, with a new token.
  SipRequest notify(DeviceSubscription s, Instant now) {
    TokenIssuer.IssuedToken token =
        tokens.issue(
            new TokenIssuer.Holder(
                s.user(), "sip:" + s.user() + "@" + settings.domain(), s.deviceKey(), s.icid()));
    String body =
        SessionDocument.notify(
            s.sid(),
            s.relays(),
            settings.first(),
            s.deviceKey(),
            addresses,
            token,
            tokens.publicKeys(),
            now.toEpochMilli(),
            settings.reportInterval().toSeconds(),
            s.icid(),
            s.credit());
    return s.dialog().active(now).withBody(TYPE, SipBody.of(body));
  }
}
