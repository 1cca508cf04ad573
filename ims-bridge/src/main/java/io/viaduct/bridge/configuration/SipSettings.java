package io.viaduct.bridge.configuration;

import static io.viaduct.bridge.configuration.Rules.require;
import static io.viaduct.bridge.configuration.Rules.requirePort;

import io.viaduct.service.configuration.FileName;
import io.viaduct.sip.digest.AlgorithmOffer;
import io.viaduct.sip.digest.DigestAlgorithm;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/// SIP listener and registrar.
///
/// @param sentBy host in Via and Contact; if empty, the local address of the route
/// @param tls TLS beside UDP and TCP
/// @param webSocket WebSocket beside them
/// @param connections most concurrent TCP connections
/// @param connectionsPerSource most concurrent TCP connections of one IPv4 address or IPv6 /64
/// @param firstMessage a TCP connection that has sent no complete message after this time is closed
/// @param transactionsMax most server transactions processed at a time (RFC 3261 section 17.2);
///   further requests get 503
/// @param answersPerSecond most responses to refused messages per second
/// @param answersPerSource most responses per second over UDP to a source that has not yet shown a
///   nonce of this bridge; a burst may have five times as many
/// @param remembered responses kept for retransmissions
/// @param pending most requests of the bridge that wait for a response
/// @param bindings most registered contacts in all
/// @param contacts most contacts of one user
/// @param expiresMin shortest expiry; a shorter one is refused with 423
/// @param expiresMax longest expiry; a longer one is shortened to it
/// @param expiresDefault expiry if the request names none
/// @param algorithms digest algorithms, offered in this order; those of AKA only to users with a
///   card
/// @param algorithmsByUserAgent other offers, for user agents that fail with `algorithms`
/// @param nonceLifetime time after which a nonce is stale
/// @param wrongPasswords wrong passwords per minute for one digest username from one source; more
///   get 403
/// @param wrongPasswordsPerSource wrong passwords per minute from one source for all usernames;
///   more get 403
public record SipSettings(
    String host,
    int port,
    String sentBy,
    Tls tls,
    WebSocket webSocket,
    int connections,
    int connectionsPerSource,
    Duration firstMessage,
    int transactionsMax,
    int answersPerSecond,
    int answersPerSource,
    int remembered,
    int pending,
    int bindings,
    int contacts,
    Duration expiresMin,
    Duration expiresMax,
    Duration expiresDefault,
    List<Algorithm> algorithms,
    List<UserAgentFamily> algorithmsByUserAgent,
    Duration nonceLifetime,
    int wrongPasswords,
    int wrongPasswordsPerSource) {
  private static final int USER_AGENT_FAMILIES_MAX = 64;

  public SipSettings {
    requirePort(port, 0);
    require(
        connectionsPerSource >= 1 && connectionsPerSource <= connections,
        "connections-per-source must be 1..connections",
        connectionsPerSource);
    require(firstMessage.toMillis() >= 100, "first-message must be >= 100ms", firstMessage);
    require(
        answersPerSource >= 1 && answersPerSource <= 100_000,
        "answers-per-source must be 1..100000",
        answersPerSource);
    require(contacts >= 1 && bindings >= contacts, "bindings must be >= contacts >= 1", contacts);
    require(
        expiresMin.toSeconds() >= 1
            && expiresMin.compareTo(expiresDefault) <= 0
            && expiresDefault.compareTo(expiresMax) <= 0,
        "need 1s <= expires-min <= expires-default <= expires-max",
        expiresMin + ", " + expiresDefault + ", " + expiresMax);
    // A challenge to a user without a card must have something to offer.
    require(
        algorithms.stream().anyMatch(each -> !each.value.isAka()),
        "algorithms must name SHA-256, MD5 or both",
        algorithms);
    algorithms = List.copyOf(algorithms);
    algorithmsByUserAgent = List.copyOf(algorithmsByUserAgent);
    require(
        algorithmsByUserAgent.size() <= USER_AGENT_FAMILIES_MAX,
        "algorithms-by-user-agent must have at most " + USER_AGENT_FAMILIES_MAX + " lines",
        algorithmsByUserAgent.size());
    require(nonceLifetime.toSeconds() >= 10, "nonce-lifetime must be >= 10s", nonceLifetime);
    require(
        wrongPasswords >= 1 && wrongPasswords <= 1000,
        "wrong-passwords must be 1..1000",
        wrongPasswords);
    require(
        wrongPasswordsPerSource >= wrongPasswords && wrongPasswordsPerSource <= 10_000,
        "wrong-passwords-per-source must be wrong-passwords..10000",
        wrongPasswordsPerSource);
  }

  boolean isBoundToOneAddress() {
    try {
      return !InetAddress.ofLiteral(host).isAnyLocalAddress();
    } catch (IllegalArgumentException e) {
      return true; // a name
    }
  }

  public AlgorithmOffer offer() {
    return new AlgorithmOffer(
        algorithms.stream().map(Algorithm::value).toList(),
        algorithmsByUserAgent.stream().map(UserAgentFamily::family).toList());
  }

  /// The TLS listener of SIP.
  ///
  /// @param certificate PEM, followed by its intermediates; empty for no TLS
  /// @param privateKey PKCS#8 PEM, readable only by its owner
  public record Tls(@FileName String certificate, @FileName String privateKey, int port) {
    public Tls {
      requirePort(port, 0);
      require(
          certificate.isEmpty() == privateKey.isEmpty(),
          "certificate and private-key belong together: give both or none",
          certificate + ", " + privateKey);
    }

    public boolean exists() {
      return !certificate.isEmpty();
    }
  }

  /// The WebSocket listeners of SIP (RFC 7118).
  ///
  /// @param port without TLS, for a proxy that ends TLS
  /// @param securePort with TLS, if `tls` has a certificate
  public record WebSocket(boolean enabled, int port, int securePort) {
    public WebSocket {
      requirePort(port, 0);
      requirePort(securePort, 0);
    }
  }

  /// The algorithms offered to user agents whose User-Agent begins alike.
  ///
  /// @param userAgent beginning of User-Agent; empty for user agents that send none
  /// @param algorithms algorithms to offer; those that `algorithms` lacks are left out
  public record UserAgentFamily(String userAgent, List<Algorithm> algorithms) {
    public UserAgentFamily {
      require(!algorithms.isEmpty(), "algorithms must name at least one algorithm", "[]");
      algorithms = List.copyOf(algorithms);
    }

    AlgorithmOffer.Family family() {
      return new AlgorithmOffer.Family(
          userAgent, algorithms.stream().map(Algorithm::value).toList());
    }
  }

  /// A digest algorithm, given by its token.
  public record Algorithm(DigestAlgorithm value) {
    /// Returns the algorithm of a token, such as `SHA-256`.
    ///
    /// @throws IllegalArgumentException if the bridge does not know the algorithm
    public static Algorithm of(String token) {
      return new Algorithm(
          DigestAlgorithm.of(token.isEmpty() ? "?" : token)
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "algorithm must be AKAv2-MD5, AKAv1-MD5, SHA-256 or MD5, got " + token)));
    }

    /// Returns the token as it is written in the file.
    @Override
    public String toString() {
      return value.token();
    }
  }
}
