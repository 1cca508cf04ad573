package io.viaduct.bridge.registrar;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipUri;
import io.viaduct.sip.digest.DigestOutcome;
import io.viaduct.sip.digest.DigestRefusal;
import io.viaduct.sip.digest.DigestServer;
import java.net.InetAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// Who sent a request, and whether he may speak as the one named in it. Answers the request itself
/// when the result is nobody.
public final class Authentication {
  private static final Set<DigestRefusal> GUESSES =
      EnumSet.of(DigestRefusal.WRONG_PASSWORD, DigestRefusal.UNKNOWN_USER);

  private final String domain;
  private final DigestServer digest;
  private final FailureThrottle throttle;
  private final SipMeters meters;
  private final InstantSource clock;

  /// @param wrongPasswords per minute, user and source address
  public Authentication(
      String domain,
      DigestServer digest,
      int wrongPasswords,
      SipMeters meters,
      InstantSource clock) {
    this.domain = domain;
    this.digest = digest;
    this.throttle = new FailureThrottle(wrongPasswords);
    this.meters = meters;
    this.clock = clock;
  }

  /// As registrar or notifier (401).
  ///
  /// @param identity the address that must be the user's own
  Optional<String> asServer(IncomingRequest request, NameAddress identity) {
    return check(request, identity, 401, "Authorization", "WWW-Authenticate");
  }

  /// As proxy (407): the request goes on to someone else.
  Optional<String> asProxy(IncomingRequest request, NameAddress identity) {
    return check(request, identity, 407, "Proxy-Authorization", "Proxy-Authenticate");
  }

  /// As notifier.
  public Optional<String> subscriber(IncomingRequest request) {
    return asServer(request, request.message().from());
  }

  private Optional<String> check(
      IncomingRequest request,
      NameAddress identity,
      int status,
      String credentials,
      String challenge) {
    SipRequest message = request.message();
    InetAddress source = request.flow().remote().getAddress();
    Instant now = clock.instant();
    String claimed = localUser(identity).orElse("");
    if (throttle.isBlocked(claimed, source, now)) {
      meters.count(Refusal.TOO_MANY_FAILURES);
      request.answer(
          SipResponse.to(message, Refusal.TOO_MANY_FAILURES.status())
              .withReason("Too Many Wrong Passwords")
              .with("Retry-After", "60"));
      return Optional.empty();
    }
    return switch (digest.check(message, credentials)) {
      case DigestOutcome.Refused refused -> {
        meters.count(refused.reason());
        if (GUESSES.contains(refused.reason())) {
          throttle.failed(claimed, source, now);
        }
        SipResponse response = SipResponse.to(message, status);
        for (String value : refused.challenges()) {
          response = response.with(challenge, value);
        }
        request.answer(response);
        yield Optional.empty();
      }
      case DigestOutcome.Authenticated(String user) when user.equals(claimed) -> {
        throttle.succeeded(claimed, source);
        yield Optional.of(user);
      }
      case DigestOutcome.Authenticated _ -> {
        meters.count(Refusal.FOREIGN_IDENTITY);
        request.answer(
            SipResponse.to(message, Refusal.FOREIGN_IDENTITY.status())
                .withReason("Not Your Identity"));
        yield Optional.empty();
      }
    };
  }

  /// The user part of an address of our domain.
  Optional<String> localUser(NameAddress address) {
    try {
      SipUri uri = address.sipUri();
      return uri.host().equals(domain) && !uri.user().isEmpty()
          ? Optional.of(uri.user())
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
