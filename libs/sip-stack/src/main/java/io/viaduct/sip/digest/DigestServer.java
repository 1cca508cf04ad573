package io.viaduct.sip.digest;

import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipUri;
import io.viaduct.sip.digest.DigestOutcome.Authenticated;
import io.viaduct.sip.digest.DigestOutcome.Refused;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Digest server of one realm. A challenge takes no memory: a nonce is remembered only after a
/// client returned it with the correct password. Each algorithm is offered in a challenge of its
/// own (RFC 8760). Thread-safe.
///
/// The nonce is checked before the password. A guess needs a nonce that was issued to its source,
/// and the owner of a forged source never sees one.
public final class DigestServer {
  private final String realm;
  private final AlgorithmOffer offer;
  private final Duration lifetime;
  private final CredentialStore store;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private final byte[] key = new byte[32];
  private final NonceCounts counts;

  /// Makes a server with a new random key, so nonces of an earlier start are invalid.
  ///
  /// @param lifetime of a nonce
  /// @param nonces most nonces whose counts are remembered at a time
  public DigestServer(
      String realm,
      AlgorithmOffer offer,
      Duration lifetime,
      int nonces,
      CredentialStore store,
      InstantSource clock) {
    this.realm = realm;
    this.offer = offer;
    this.lifetime = lifetime;
    this.store = store;
    this.clock = clock;
    this.counts = new NonceCounts(nonces);
    random.nextBytes(key);
  }

  /// Checks a request.
  ///
  /// @param header Authorization or Proxy-Authorization
  /// @param source the request's source address
  /// @param admission called with the username before its password is checked, and only for a nonce
  ///   that was issued to the source; false refuses with [DigestRefusal#NOT_ADMITTED]
  public DigestOutcome check(
      SipRequest request, String header, InetAddress source, Predicate<String> admission) {
    List<String> values = request.headers().all(header);
    DigestRefusal worst = DigestRefusal.MISSING;
    for (String value : values) {
      DigestCredentials credentials;
      try {
        credentials = DigestCredentials.parse(value);
      } catch (IllegalArgumentException e) {
        worst = DigestRefusal.MALFORMED;
        continue;
      }
      if (credentials.realm().equals(realm)) {
        Optional<DigestRefusal> refusal = refusal(request, credentials, source, admission);
        return refusal.isEmpty()
            ? new Authenticated(credentials.username())
            : refused(request, source, refusal.get());
      }
    }
    return refused(request, source, worst);
  }

  private Optional<DigestRefusal> refusal(
      SipRequest request,
      DigestCredentials given,
      InetAddress source,
      Predicate<String> admission) {
    if (!offer.contains(given.algorithm()) || !given.qop().equals("auth")) {
      return Optional.of(DigestRefusal.NOT_OFFERED);
    }
    if (!given.nc().matches("[0-9A-Fa-f]{8}") || given.cnonce().isEmpty()) {
      return Optional.of(DigestRefusal.MALFORMED);
    }
    Optional<Nonce> nonce = Nonce.recognise(key, source, given.nonce());
    if (nonce.isEmpty()) {
      return Optional.of(DigestRefusal.FORGED_NONCE);
    }
    long oldestMs = clock.millis() - lifetime.toMillis();
    if (nonce.get().issuedMs() < oldestMs) {
      return Optional.of(DigestRefusal.STALE_NONCE);
    }
    if (!sameTarget(given.uri(), request.uri())) {
      return Optional.of(DigestRefusal.WRONG_URI);
    }
    if (!admission.test(given.username())) {
      return Optional.of(DigestRefusal.NOT_ADMITTED);
    }
    return passwordRefusal(request, given)
        .or(() ->
            counts.use(nonce.get(), Long.parseLong(given.nc(), 16), oldestMs)
                ? Optional.empty()
                : Optional.of(DigestRefusal.REPLAYED));
  }

  private Optional<DigestRefusal> passwordRefusal(SipRequest request, DigestCredentials given) {
    Optional<String> ha1 = store.ha1(given.username(), given.algorithm());
    // An unknown user takes the same time as a known one.
    boolean right =
        isEqual(given.expectedResponse(ha1.orElse("-"), request.method()), given.response());
    if (ha1.isEmpty()) {
      return Optional.of(DigestRefusal.UNKNOWN_USER);
    }
    return right ? Optional.empty() : Optional.of(DigestRefusal.WRONG_PASSWORD);
  }

  private Refused refused(SipRequest request, InetAddress source, DigestRefusal reason) {
    String nonce = Nonce.issue(key, source, clock.millis(), random.nextLong()).encoded();
    return new Refused(
        reason,
        offer.to(request).stream()
            .map(algorithm ->
                new DigestChallenge(algorithm, realm, nonce, "", reason.isStale()).encode())
            .toList());
  }

  /// Compares two URIs by user and host only, because user agents differ in parameters and in
  /// writing a port. RFC 7616 section 3.4.5 leaves the comparison to the server.
  private static boolean sameTarget(String given, String requested) {
    if (given.equals(requested)) {
      return true;
    }
    try {
      SipUri a = SipUri.parse(given);
      SipUri b = SipUri.parse(requested);
      return a.addressOfRecord().equals(b.addressOfRecord());
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isEqual(String expected, String given) {
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8),
        given.toLowerCase(java.util.Locale.ROOT).getBytes(StandardCharsets.UTF_8));
  }
}
