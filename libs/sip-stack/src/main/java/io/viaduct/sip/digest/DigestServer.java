package io.viaduct.sip.digest;

import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipUri;
import io.viaduct.sip.aka.AkaKeys;
import io.viaduct.sip.aka.SequenceNumbers;
import io.viaduct.sip.digest.DigestOutcome.Authenticated;
import io.viaduct.sip.digest.DigestOutcome.Refused;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/// Digest server of one realm. A challenge takes no memory: a nonce is remembered only after a
/// client returned it with the correct password. Each algorithm is offered in a challenge of its
/// own (RFC 8760). Thread-safe.
///
/// The nonce is checked before the password. A guess needs a nonce that was issued to its source,
/// and the owner of a forged source never sees one.
///
/// Servers that share the key of a [NonceIssuer] take each other's nonces. The counts of a nonce
/// stay with its issuer, which is asked.
///
/// A user whose card is known is challenged with AKA too. The nonce carries RAND, from which the
/// card's answer is computed again, so these challenges take no memory either.
///
/// The source of a request without credentials may be forged, so the answer is at most twice as
/// long as the request: challenges that would make it longer are left out, except the first.
public final class DigestServer {
  /// Most bytes of such an answer that are neither in the request nor in a challenge: the tag of
  /// To, received and rport of Via, Content-Length.
  private static final int ANSWER_BYTES = 80;

  /// Bytes of a header field with a challenge, besides the challenge.
  private static final int FIELD_BYTES = "Proxy-Authenticate: \r\n".length();

  /// The card of a user who has none, for an answer that takes the same time.
  private static final AkaKeys NO_CARD =
      new AkaKeys(
          new byte[AkaKeys.KEY_BYTES], new byte[AkaKeys.KEY_BYTES], new byte[AkaKeys.AMF_BYTES]);

  private final String realm;
  private final AlgorithmOffer offer;
  private final Duration lifetime;
  private final CredentialStore store;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private final NonceIssuer issuer;
  private final byte[] key;
  private final NonceCounts counts;
  private final SequenceNumbers sequences = new SequenceNumbers();

  /// Makes a server with a new random key, so nonces of an earlier start are invalid.
  public DigestServer(
      String realm,
      AlgorithmOffer offer,
      Duration lifetime,
      int nonces,
      CredentialStore store,
      InstantSource clock) {
    this(realm, offer, lifetime, nonces, store, NonceIssuer.alone(), clock);
  }

  /// @param lifetime of a nonce
  /// @param nonces most nonces whose counts are remembered at a time
  public DigestServer(
      String realm,
      AlgorithmOffer offer,
      Duration lifetime,
      int nonces,
      CredentialStore store,
      NonceIssuer issuer,
      InstantSource clock) {
    this.realm = realm;
    this.offer = offer;
    this.lifetime = lifetime;
    this.store = store;
    this.clock = clock;
    this.issuer = issuer;
    this.key = issuer.key();
    this.counts = new NonceCounts(nonces, issuer.beginMs(clock.millis()));
  }

  /// Marks a count of a nonce of this server as used, for another server that has checked nonce and
  /// password.
  ///
  /// @return false if the count was used before, or if that is no longer known
  public boolean use(String nonce, long issuedMs, long count) {
    long oldestMs = clock.millis() - lifetime.toMillis();
    return issuedMs >= oldestMs
        && counts.use(new Nonce(nonce, issuedMs, issuer.id()), count, oldestMs);
  }

  /// Checks a request.
  ///
  /// @param header Authorization or Proxy-Authorization
  /// @param source the request's source address
  /// @param claimed the user whom To or From names, and whose card is challenged; empty if it is
  ///   none of ours
  /// @param admission called with the username before its password is checked, and only for a nonce
  ///   that was issued to the source; false refuses with [DigestRefusal#NOT_ADMITTED]
  public DigestOutcome check(
      SipRequest request,
      String header,
      InetAddress source,
      String claimed,
      Predicate<String> admission) {
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
            ? new Authenticated(user(credentials))
            : refused(request, source, claimed, refusal.get());
      }
    }
    return refused(request, source, claimed, worst);
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
    Optional<AkaNonce> aka =
        given.algorithm().isAka()
            ? AkaNonce.recognise(key, source, given.nonce())
            : Optional.empty();
    Optional<Nonce> nonce =
        given.algorithm().isAka()
            ? aka.map(AkaNonce::nonce)
            : Nonce.recognise(key, source, given.nonce());
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
    if (!admission.test(user(given))) {
      return Optional.of(DigestRefusal.NOT_ADMITTED);
    }
    if (aka.isPresent() && !given.auts().isEmpty()) {
      return Optional.of(resynchronised(user(given), aka.get(), given.auts()));
    }
    return passwordRefusal(request, given, ha1(given, aka))
        .or(() -> countRefusal(nonce.get(), Long.parseLong(given.nc(), 16), oldestMs));
  }

  /// Marks the count as used at the issuer of the nonce.
  private Optional<DigestRefusal> countRefusal(Nonce nonce, long count, long oldestMs) {
    Optional<Boolean> isFirst =
        nonce.issuer() == issuer.id()
            ? Optional.of(counts.use(nonce, count, oldestMs))
            : issuer.others().use(nonce.issuer(), nonce.encoded(), nonce.issuedMs(), count);
    if (isFirst.isEmpty()) {
      return Optional.of(DigestRefusal.ISSUER_AWAY);
    }
    return isFirst.get() ? Optional.empty() : Optional.of(DigestRefusal.REPLAYED);
  }

  /// Returns the user of a digest username. User agents with a card send their private identity,
  /// which has the domain.
  private String user(DigestCredentials given) {
    String username = given.username();
    return given.algorithm().isAka() && username.endsWith("@" + realm)
        ? username.substring(0, username.length() - realm.length() - 1)
        : username;
  }

  private DigestRefusal resynchronised(String user, AkaNonce nonce, String auts) {
    byte[] octets;
    try {
      octets = Base64.getDecoder().decode(auts);
    } catch (IllegalArgumentException e) {
      return DigestRefusal.MALFORMED;
    }
    Optional<AkaKeys> keys = store.aka(user);
    OptionalLong sequence = keys.orElse(NO_CARD).sequenceOf(nonce.rand(), octets);
    if (keys.isEmpty()) {
      return DigestRefusal.UNKNOWN_USER;
    }
    if (sequence.isEmpty()) {
      return DigestRefusal.WRONG_PASSWORD;
    }
    sequences.resynchronise(user, sequence.getAsLong(), clock.millis());
    return DigestRefusal.RESYNCHRONISED;
  }

  private Optional<String> ha1(DigestCredentials given, Optional<AkaNonce> aka) {
    if (aka.isEmpty()) {
      return store.ha1(given.username(), given.algorithm());
    }
    Optional<AkaKeys> keys = store.aka(user(given));
    byte[] rand = aka.get().rand();
    byte[] password =
        given.algorithm() == DigestAlgorithm.AKAV2_MD5
            ? keys.orElse(NO_CARD).passwordOfVersion2(rand)
            : keys.orElse(NO_CARD).passwordOfVersion1(rand);
    String ha1 = given.algorithm().ha1(given.username(), realm, password);
    return keys.map(_ -> ha1);
  }

  private static Optional<DigestRefusal> passwordRefusal(
      SipRequest request, DigestCredentials given, Optional<String> ha1) {
    // An unknown user takes the same time as a known one.
    boolean right =
        isEqual(given.expectedResponse(ha1.orElse("-"), request.method()), given.response());
    if (ha1.isEmpty()) {
      return Optional.of(DigestRefusal.UNKNOWN_USER);
    }
    return right ? Optional.empty() : Optional.of(DigestRefusal.WRONG_PASSWORD);
  }

  private Refused refused(
      SipRequest request, InetAddress source, String claimed, DigestRefusal reason) {
    long now = clock.millis();
    Optional<AkaKeys> card = offer.hasAka() ? store.aka(claimed) : Optional.empty();
    List<DigestAlgorithm> algorithms =
        offer.to(
            request,
            algorithm ->
                algorithm.isAka()
                    ? card.isPresent()
                    : card.isEmpty() || store.ha1(claimed, algorithm).isPresent());
    long unique = (long) issuer.id() << 32 | random.nextInt() & 0xffff_ffffL;
    String plain = Nonce.issue(key, source, now, unique).encoded();
    String aka =
        algorithms.stream().anyMatch(DigestAlgorithm::isAka)
            ? card.map(keys -> akaNonce(keys, claimed, source, now)).orElse("")
            : "";
    return new Refused(
        reason,
        fitting(
            request,
            algorithms.stream()
                .map(algorithm ->
                    new DigestChallenge(
                            algorithm, realm, algorithm.isAka() ? aka : plain, "", reason.isStale())
                        .encode())
                .toList()));
  }

  /// Returns the first challenge, and of the others those with which the answer stays at most twice
  /// as long as the request.
  private static List<String> fitting(SipRequest request, List<String> challenges) {
    if (challenges.size() < 2) {
      return challenges;
    }
    int room = request.encode().length - ANSWER_BYTES;
    List<String> fitting = new ArrayList<>();
    for (String challenge : challenges) {
      int bytes = challenge.length() + FIELD_BYTES;
      if (fitting.isEmpty() || bytes <= room) {
        fitting.add(challenge);
        room -= bytes;
      }
    }
    return fitting;
  }

  private String akaNonce(AkaKeys keys, String user, InetAddress source, long nowMs) {
    byte[] rand = new byte[AkaKeys.KEY_BYTES];
    random.nextBytes(rand);
    byte[] autn = keys.autn(rand, sequences.next(user, nowMs));
    return AkaNonce.issue(key, source, rand, autn, nowMs, issuer.id()).nonce().encoded();
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
