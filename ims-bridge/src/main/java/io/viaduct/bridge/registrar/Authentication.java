package io.viaduct.bridge.registrar;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipUri;
import io.viaduct.sip.digest.DigestOutcome;
import io.viaduct.sip.digest.DigestRefusal;
import io.viaduct.sip.digest.DigestServer;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Authenticates the sender of a request by digest, and checks that To or From names the same user.
/// If the check fails, it answers the request and returns empty.
public final class Authentication {
  private final String domain;
  private final DigestServer digest;
  private final Subscribers subscribers;
  private final FailureThrottle throttle;
  private final SipMeters meters;

  /// @param wrongPasswords per minute, digest username and source
  /// @param wrongPasswordsPerSource per minute and source
  public Authentication(
      String domain,
      DigestServer digest,
      Subscribers subscribers,
      int wrongPasswords,
      int wrongPasswordsPerSource,
      SipMeters meters,
      InstantSource clock) {
    this.domain = domain;
    this.digest = digest;
    this.subscribers = subscribers;
    this.throttle = new FailureThrottle(wrongPasswords, wrongPasswordsPerSource, clock);
    this.meters = meters;
  }

  /// Authenticates a request to the registrar or the notifier; challenges with 401.
  ///
  /// @param identity To or From; must be the address of the authenticated user
  Optional<String> asServer(IncomingRequest request, NameAddress identity) {
    return check(request, identity, 401, "Authorization", "WWW-Authenticate")
        .filter(user -> isEntitled(user, request));
  }

  /// Authenticates a request that the proxy passes on to another user; challenges with 407.
  public Optional<String> asProxy(IncomingRequest request, NameAddress identity) {
    return check(request, identity, 407, "Proxy-Authorization", "Proxy-Authenticate")
        .filter(user -> isEntitled(user, request));
  }

  /// Authenticates a SUBSCRIBE by its From.
  public Optional<String> subscriber(IncomingRequest request) {
    return asServer(request, request.message().from());
  }

  /// Called after the digest check: only the account's owner learns that the account is suspended.
  private boolean isEntitled(String user, IncomingRequest request) {
    if (subscribers.admission(user) == Subscribers.Admission.ACTIVE) {
      return true;
    }
    meters.count(Refusal.ACCOUNT_SUSPENDED);
    request.answer(
        SipResponse.to(request.message(), Refusal.ACCOUNT_SUSPENDED.status())
            .withReason("Account Suspended")
            .withWarning(domain, "account " + user + " is suspended: ask your operator"));
    return false;
  }

  private Optional<String> check(
      IncomingRequest request,
      NameAddress identity,
      int status,
      String credentials,
      String challenge) {
    InetAddress source = request.flow().remote().getAddress();
    String claimed = localUser(identity).orElse("");
    Attempt attempt = new Attempt(request, claimed);
    return switch (digest.check(request.message(), credentials, source, claimed, attempt)) {
      case DigestOutcome.Authenticated(String user) -> {
        throttle.succeeded(user, source);
        yield Optional.of(user);
      }
      case DigestOutcome.Refused(var reason, var challenges) -> {
        meters.count(reason);
        // Both prove that the sender has the user's secret.
        if (reason == DigestRefusal.REPLAYED || reason == DigestRefusal.RESYNCHRONISED) {
          throttle.succeeded(attempt.username, source);
        }
        if (reason == DigestRefusal.NOT_ADMITTED) {
          attempt.refuse();
        } else {
          SipResponse response = SipResponse.to(request.message(), status);
          for (String value : challenges) {
            response = response.with(challenge, value);
          }
          request.answer(response);
        }
        yield Optional.empty();
      }
    };
  }

  /// One attempt to authenticate, with a nonce that was issued to the same source. A username that
  /// differs from the user of To or From is refused before the password is checked, so the answer
  /// says nothing about the password. Such an attempt counts as a guess.
  private final class Attempt implements Predicate<String> {
    private final IncomingRequest request;
    private final String claimed;
    private String username = "";
    private Refusal refusal = Refusal.FOREIGN_IDENTITY;

    Attempt(IncomingRequest request, String claimed) {
      this.request = request;
      this.claimed = claimed;
    }

    @Override
    public boolean test(String user) {
      username = user;
      request.onSourceProved();
      if (!throttle.admits(user, request.flow().remote().getAddress())) {
        refusal = Refusal.TOO_MANY_FAILURES;
        return false;
      }
      return user.equals(claimed);
    }

    void refuse() {
      meters.count(refusal);
      SipResponse response = SipResponse.to(request.message(), refusal.status());
      request.answer(
          refusal == Refusal.TOO_MANY_FAILURES
              ? response.withReason("Too Many Wrong Passwords").with("Retry-After", "60")
              : response.withReason("Not Your Identity"));
    }
  }

  /// Returns whether a Request-URI is the address of a user of our domain.
  public boolean names(String uri, String user) {
    return localUser(new NameAddress(uri, Map.of())).filter(user::equals).isPresent();
  }

  /// Returns all addresses of a user: the user's name first.
  List<String> addresses(String user) {
    return Stream.concat(Stream.of(user), subscribers.addresses(user).stream())
        .map(part -> "sip:" + part + "@" + domain)
        .toList();
  }

  /// Returns the user whom an address names, or empty if the address is not of our domain. A
  /// further address of a user names that user.
  Optional<String> localUser(NameAddress address) {
    try {
      SipUri uri = address.sipUri();
      return uri.host().equals(domain) && !uri.user().isEmpty()
          ? Optional.of(subscribers.owner(uri.user()))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
