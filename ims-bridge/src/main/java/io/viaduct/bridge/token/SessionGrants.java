package io.viaduct.bridge.token;

import io.viaduct.bridge.directory.RelayAddresses;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipRequest;
import io.viaduct.usage.ChargingFunction;
import java.time.Instant;
import java.util.List;

/// Makes the NOTIFYs of sessions: each has a token, the list of SNAPTs and the state of the credit.
final class SessionGrants {
  static final String TYPE = "application/json";

  private final SessionNotifier.Settings settings;
  private final RelayAddresses addresses;
  private final TokenIssuer tokens;
  private final LocationService locations;

  SessionGrants(
      SessionNotifier.Settings settings,
      RelayAddresses addresses,
      TokenIssuer tokens,
      LocationService locations) {
    this.settings = settings;
    this.locations = locations;
    this.addresses = addresses;
    this.tokens = tokens;
  }

  /// Returns when the token of a NOTIFY should be replaced.
  Instant renewal(Instant now) {
    return now.plus(tokens.renewAfter());
  }

  // Billing sends a session's records to the function that the core has named for the user.
  private List<Long> functions(String user, Instant now) {
    return locations.bindings(user, now).stream()
        .flatMap(binding -> binding.core().stream())
        .map(core -> core.addresses().ccf())
        .filter(ccf -> !ccf.isEmpty())
        .findFirst()
        .orElse(List.of())
        .stream()
        .flatMap(address -> ChargingFunction.digest(address).stream())
        .toList();
  }

  /// Returns the NOTIFY of a subscription, with a new token.
  SipRequest notify(DeviceSubscription s, Instant now) {
    TokenIssuer.IssuedToken token =
        tokens.issue(
            new TokenIssuer.Holder(
                s.user(),
                "sip:" + s.user() + "@" + settings.domain(),
                s.deviceKey(),
                s.icid(),
                functions(s.user(), now)));
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
