package io.viaduct.bridge.registrar;

import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipRequest;
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

/// Authenticates the sender of a request: by the identity that a peer of the core asserts (RFC
/// 3325), else by digest, and checks that To or From names the same user. If the check fails, it
/// answers the request and returns empty.
public final class Authentication {
  private final String domain;
  private final TrustDomain trust;
  private final DigestServer digest;
  private final Subscribers subscribers;
  private final FailureThrottle throttle;
  private final SipMeters meters;

  /// @param wrongPasswords per minute, digest username and source
  /// @param wrongPasswordsPerSource per minute and source
  public Authentication(
      String domain,
      TrustDomain trust,
      DigestServer digest,
      Subscribers subscribers,
      int wrongPasswords,
      int wrongPasswordsPerSource,
      SipMeters meters,
      InstantSource clock) {
    this.domain = domain;
    this.trust = trust;
    this.digest = digest;
    this.subscribers = subscribers;
    this.throttle = new FailureThrottle(wrongPasswords, wrongPasswordsPerSource, clock);
    this.meters = meters;
  }

  /// Authenticates a REGISTER by digest: its To must be an address of the user.
  Optional<String> registrant(IncomingRequest request) {
    return byDigest(request, request.message().to());
  }

  /// Authenticates a request to the bridge itself: the asserted identity counts, else From.
  public Optional<String> subscriber(IncomingRequest request) {
    List<NameAddress> asserted = trust.asserted(request);
    return asserted.isEmpty()
        ? byDigest(request, request.message().from())
        : byCore(request, asserted);
  }

  /// Authenticates a request that the proxy passes on to another user; challenges with 407. That
  /// user will see From, so From must name the sender in any case.
  public Optional<String> asProxy(IncomingRequest request, NameAddress from) {
    List<NameAddress> asserted = trust.asserted(request);
    return asserted.isEmpty()
        ? check(request, from, 407, "Proxy-Authorization", "Proxy-Authenticate")
            .filter(user -> isEntitled(user, request))
        : byCore(request, asserted).filter(user -> isFrom(user, from, request));
  }

  /// Returns the user whom a third-party REGISTER of the core names in To (TS 24.229 section
  /// 5.7.1.1). The caller has found that a peer of the trust domain has sent it.
  Optional<String> served(IncomingRequest request) {
    return known(request, List.of(request.message().to()));
  }

  private Optional<String> byDigest(IncomingRequest request, NameAddress identity) {
    return check(request, identity, 401, "Authorization", "WWW-Authenticate")
        .filter(user -> isEntitled(user, request));
  }

  private Optional<String> byCore(IncomingRequest request, List<NameAddress> asserted) {
    Optional<String> user = known(request, asserted);
    user.ifPresent(_ -> meters.count(SipMeters.Event.IDENTITY_ASSERTED));
    return user;
  }

  private Optional<String> known(IncomingRequest request, List<NameAddress> addresses) {
    Optional<String> user =
        addresses.stream()
            .map(this::localUser)
            .flatMap(Optional::stream)
            .filter(subscribers::contains)
            .findFirst();
    if (user.isEmpty()) {
      meters.count(Refusal.NO_ACCOUNT);
      request.answer(response(Refusal.NO_ACCOUNT, request.message()));
    }
    return user.filter(known -> isEntitled(known, request));
  }

  private boolean isFrom(String user, NameAddress from, IncomingRequest request) {
    if (localUser(from).filter(user::equals).isPresent()) {
      return true;
    }
    meters.count(Refusal.FOREIGN_IDENTITY);
    request.answer(
        response(Refusal.FOREIGN_IDENTITY, request.message()).withReason("Not Your Identity"));
    return false;
  }

  /// Called after the sender is known: only the account's owner learns that the account is
  /// suspended.
  private boolean isEntitled(String user, IncomingRequest request) {
    if (subscribers.admission(user) == Subscribers.Admission.ACTIVE) {
      return true;
    }
    meters.count(Refusal.ACCOUNT_SUSPENDED);
    request.answer(
        Refusal.ACCOUNT_SUSPENDED
            .response(
                request.message(), domain, "account " + user + " is suspended: ask your operator")
            .withReason("Account Suspended"));
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
        // Each proves that the sender has the user's secret.
        if (reason == DigestRefusal.REPLAYED
            || reason == DigestRefusal.ISSUER_AWAY
            || reason == DigestRefusal.RESYNCHRONISED) {
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
      SipResponse response = response(refusal, request.message());
      request.answer(
          refusal == Refusal.TOO_MANY_FAILURES
              ? response.withReason("Too Many Wrong Passwords").with("Retry-After", "60")
              : response.withReason("Not Your Identity"));
    }
  }

  /// Returns the domain of this bridge.
  public String domain() {
    return domain;
  }

  /// Returns the response of a refusal, with its words.
  public SipResponse response(Refusal reason, SipRequest request) {
    return reason.response(request, domain);
  }

  /// Returns whether a Request-URI is the address of a user of our domain.
  public boolean names(String uri, String user) {
    return localUser(new NameAddress(uri, Map.of())).filter(user::equals).isPresent();
  }

  /// Returns the address of a user.
  public String address(String user) {
    return "sip:" + user + "@" + domain;
  }

  /// Returns all addresses of a user: the user's name first.
  public List<String> addresses(String user) {
    return Stream.concat(Stream.of(user), subscribers.addresses(user).stream())
        .map(this::address)
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
