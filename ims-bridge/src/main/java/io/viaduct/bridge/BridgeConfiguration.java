package io.viaduct.bridge;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.operations.OperationsSettings;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.sip.digest.AlgorithmOffer;
import io.viaduct.sip.digest.DigestAlgorithm;
import java.nio.file.Path;
import java.security.PublicKey;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The configuration of ims-bridge; the defaults and their reasons are in `BridgeConfiguration.yml`
/// beside this record.
///
/// @param domain home domain of the users, host part of their SIP addresses
/// @param sip registrar
/// @param grpc where SNAPTs announce themselves and report
/// @param rest HTTP for operators and the web GUI
/// @param billing where reports go
/// @param tls PEM files for gRPC in both directions
/// @param token session tokens
/// @param snapts the SNAPTs that may exist
/// @param directory judgement of what SNAPTs announce
/// @param reporting bounds on reports
/// @param state directory of the bridge alone, for the last copy of the users
/// @param subscribers no key any more: says where the users went
/// @param operations where metrics and health are served
/// @param logging format and level
public record BridgeConfiguration(
    String domain,
    Sip sip,
    Endpoint grpc,
    Rest rest,
    Billing billing,
    TlsSettings tls,
    Token token,
    List<Snapt> snapts,
    Directory directory,
    Reporting reporting,
    Path state,
    String subscribers,
    OperationsSettings operations,
    LoggingSettings logging) {
  private static final int USER_AGENT_FAMILIES_MAX = 64;
  private static final int ACCEPTED_KEYS_MAX = 8;
  private static final String NAME = "[A-Za-z0-9._-]{1,64}";

  public BridgeConfiguration {
    require(
        domain.matches("[a-z0-9.-]{1,253}"), "domain must be a host name in lower case", domain);
    require(
        subscribers.isEmpty(),
        "subscribers: users are made in billing now. Take the key out here, and name the file in billing's configuration, imports: {subscribers: FILE}",
        subscribers);
    snapts = List.copyOf(snapts);
    Set<String> ids = new HashSet<>();
    snapts.forEach(snapt -> require(ids.add(snapt.id), "snapts must have different ids", snapt.id));
  }

  /// Where something listens. Port 0 takes a free one and logs it.
  public record Endpoint(String host, int port) {
    public Endpoint {
      requirePort(port, 0);
    }
  }

  /// @param sentBy host written into Via and Contact; empty: the local address of the route
  /// @param connections TCP connections at a time
  /// @param connectionsPerSource of one IPv4 address or IPv6 /64
  /// @param firstMessage a TCP connection that brings no whole message in this time is closed
  /// @param underWay messages in processing at a time; more requests get 503
  /// @param answersPerSecond to refused messages
  /// @param answersPerSource over UDP per second, to a source that has shown no nonce of ours; five
  ///   times as many in a burst
  /// @param remembered responses kept for retransmissions
  /// @param pending requests of the bridge without an answer
  /// @param bindings registered contacts in all
  /// @param contacts of one user
  /// @param expiresMin shorter ones are refused with 423
  /// @param expiresMax longer ones are shortened
  /// @param expiresDefault granted where none was asked for
  /// @param algorithms of digest, offered in this order
  /// @param algorithmsByUserAgent for clients that give up on that
  /// @param nonceLifetime after which a challenge is stale
  /// @param wrongPasswords for one digest username from one source within a minute, then 403
  /// @param wrongPasswordsPerSource from one source within a minute for all usernames, then 403
  public record Sip(
      String host,
      int port,
      String sentBy,
      int connections,
      int connectionsPerSource,
      Duration firstMessage,
      int underWay,
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
    public Sip {
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
      require(!algorithms.isEmpty(), "algorithms must name SHA-256, MD5 or both", "[]");
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

    AlgorithmOffer offer() {
      return new AlgorithmOffer(
          algorithms.stream().map(Algorithm::value).toList(),
          algorithmsByUserAgent.stream().map(UserAgentFamily::family).toList());
    }
  }

  /// What clients that name themselves alike are offered.
  ///
  /// @param userAgent how their User-Agent begins; empty: they send none
  /// @param algorithms those of them that `algorithms` has too
  public record UserAgentFamily(String userAgent, List<Algorithm> algorithms) {
    public UserAgentFamily {
      require(!algorithms.isEmpty(), "algorithms must name SHA-256, MD5 or both", "[]");
      algorithms = List.copyOf(algorithms);
    }

    AlgorithmOffer.Family family() {
      return new AlgorithmOffer.Family(
          userAgent, algorithms.stream().map(Algorithm::value).toList());
    }
  }

  /// A digest algorithm by its token.
  public record Algorithm(DigestAlgorithm value) {
    @JsonCreator
    static Algorithm of(String token) {
      return new Algorithm(
          DigestAlgorithm.of(token.isEmpty() ? "?" : token)
              .orElseThrow(() ->
                  new IllegalArgumentException("algorithm must be SHA-256 or MD5, got " + token)));
    }
  }

  /// @param tokenFile bearer token of the callers
  public record Rest(String host, int port, Secret tokenFile) {
    public Rest {
      requirePort(port, 0);
    }
  }

  /// @param deadline of one submission; after it the reports are deferred
  /// @param batch reports in one submission
  /// @param linger how long a batch waits for more
  /// @param inFlight submissions at a time
  /// @param queue reports that wait; more are deferred
  public record Billing(
      String host,
      int port,
      Duration deadline,
      int batch,
      Duration linger,
      int inFlight,
      int queue) {
    public Billing {
      requirePort(port, 1);
      require(deadline.toMillis() >= 100, "deadline must be >= 100ms", deadline);
      require(batch >= 1 && batch <= 256, "batch must be 1..256", batch);
      require(inFlight >= 1 && inFlight <= 64, "in-flight must be 1..64", inFlight);
      require(queue >= batch, "queue must be >= batch", queue);
    }
  }

  /// @param signingKey PKCS#8 PEM of an Ed25519 key; `ims-bridge keygen` writes one
  /// @param acceptedKeys base64 of raw public keys that SNAPTs accept beside it: the former one as
  ///   long as its tokens live, the next one before it signs
  /// @param lifetime of a token; a new one is sent when 60 % of it have passed
  /// @param audience group of SNAPTs that accept it
  public record Token(
      Path signingKey, List<String> acceptedKeys, Duration lifetime, String audience) {
    public Token {
      acceptedKeys = List.copyOf(acceptedKeys);
      require(
          acceptedKeys.size() <= ACCEPTED_KEYS_MAX,
          "accepted-keys must be at most " + ACCEPTED_KEYS_MAX,
          acceptedKeys.size());
      acceptedKeys.forEach(key -> publicKey("accepted-keys", key));
      require(
          lifetime.toSeconds() >= 5 && lifetime.toHours() <= 24,
          "lifetime must be 5s..24h",
          lifetime);
      require(audience.matches(NAME), "audience must match " + NAME, audience);
    }

    List<PublicKey> accepted() {
      return acceptedKeys.stream().map(key -> publicKey("accepted-keys", key)).toList();
    }
  }

  /// One SNAPT that may announce itself.
  ///
  /// @param id common name of its certificate
  /// @param reportKey base64 of the raw 32-byte Ed25519 key that signs its reports
  /// @param lineRate bit/s in each direction: a report of more bytes is refused; empty for 10
  ///   Gbit/s
  public record Snapt(
      String id, String reportKey, String owner, String region, Optional<Long> lineRate) {
    /// The fastest port that hosts commonly have.
    private static final long LINE_RATE_DEFAULT = 10_000_000_000L;

    private static final long LINE_RATE_MAX = 10_000_000_000_000L;

    public Snapt {
      long rate = lineRate.orElse(LINE_RATE_DEFAULT);
      require(
          rate >= 1 && rate <= LINE_RATE_MAX,
          "line-rate must be 1.." + LINE_RATE_MAX + " bit/s",
          rate);
      require(id.matches(NAME), "id must match " + NAME, id);
      publicKey("report-key", reportKey);
    }

    public long bitPerSecond() {
      return lineRate.orElse(LINE_RATE_DEFAULT);
    }

    public PublicKey key() {
      return publicKey("report-key", reportKey);
    }
  }

  /// @param staleAfter silence after which a SNAPT is not handed out any more
  public record Directory(Duration staleAfter) {
    public Directory {
      require(staleAfter.toMillis() >= 500, "stale-after must be >= 500ms", staleAfter);
    }
  }

  /// @param interval told to agents with their token
  /// @param bytes of one signed report
  /// @param unacknowledged reports of one SNAPT under way
  public record Reporting(Duration interval, int bytes, int unacknowledged) {
    public Reporting {
      require(interval.toSeconds() >= 1, "interval must be >= 1s", interval);
      require(bytes >= 1024 && bytes <= 1 << 20, "bytes must be 1024..1048576", bytes);
      require(unacknowledged >= 1, "unacknowledged must be >= 1", unacknowledged);
    }
  }

  private static PublicKey publicKey(String name, String base64) {
    try {
      return Ed25519.publicKey(Base64.getDecoder().decode(base64));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          name + " must be base64 of a raw 32-byte Ed25519 public key: " + e.getMessage(), e);
    }
  }

  private static void requirePort(int port, int least) {
    require(port >= least && port <= 65_535, "port must be " + least + "..65535", port);
  }

  private static void require(boolean holds, String rule, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ", got " + value);
    }
  }
}
