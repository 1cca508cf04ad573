package io.viaduct.bridge.configuration;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.viaduct.service.broker.BrokerSettings;
import io.viaduct.service.configuration.FileName;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.digest.Sha256;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.operations.OperationsSettings;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipUri;
import io.viaduct.sip.Transport;
import io.viaduct.sip.digest.AlgorithmOffer;
import io.viaduct.sip.digest.DigestAlgorithm;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.PublicKey;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The configuration of ims-bridge; the defaults and their reasons are in `BridgeConfiguration.yml`
/// beside this record.
///
/// @param domain home domain of the users, host part of their SIP addresses
/// @param sip SIP listener and registrar
/// @param core IMS core network whose word about users counts
/// @param calls limits and timers of calls
/// @param bridges the other bridges of the domain, and what this one shares with them
/// @param grpc listener for SNAPTs, which announce themselves and report there
/// @param rest HTTP for operators and the web GUI
/// @param billing connection to billing
/// @param tls PEM files for gRPC in both directions
/// @param token session tokens
/// @param snapts the configured SNAPTs; no other may connect
/// @param directory rules for the SNAPTs' announcements
/// @param reporting bounds on reports
/// @param reports way of reports to billing
/// @param kafka the broker on that way, and its limits
/// @param state directory that only the bridge may access; holds the copy of the users
/// @param subscribers removed key; must be empty, and its refusal says where users are configured
///   now
/// @param operations listener for metrics and health
/// @param logging format and level
public record BridgeConfiguration(
    String domain,
    Sip sip,
    Core core,
    Calls calls,
    Bridges bridges,
    Endpoint grpc,
    Rest rest,
    Billing billing,
    TlsSettings tls,
    Token token,
    List<Snapt> snapts,
    Directory directory,
    Reporting reporting,
    Reports reports,
    Kafka kafka,
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
        "subscribers: users are made in billing now. Remove this key, and name the file in billing's configuration, imports: {subscribers: FILE}",
        subscribers);
    snapts = List.copyOf(snapts);
    Set<String> ids = new HashSet<>();
    snapts.forEach(snapt -> require(ids.add(snapt.id), "snapts must have different ids", snapt.id));
    require(
        reports.transport == Reports.Transport.GRPC || kafka.broker.exists(),
        "reports.transport kafka needs kafka.broker.bootstrap",
        "[]");
    require(
        core.tlsNames.isEmpty() || sip.tls.exists(),
        "core.tls-names needs sip.tls.certificate",
        core.tlsNames);
    require(
        !bridges.areSeveral() || !sip.sentBy.isEmpty() || sip.isBoundToOneAddress(),
        "bridges.peers needs sip.sent-by, or in sip.host an address of this bridge: calls name it",
        sip.host);
    require(
        kafka.bufferBytes >= 4L * reporting.bytes,
        "kafka.buffer-bytes must be at least four times reporting.bytes",
        kafka.bufferBytes);
  }

  /// Host and port of a listener. Port 0 takes a free port and logs it.
  public record Endpoint(String host, int port) {
    public Endpoint {
      requirePort(port, 0);
    }
  }

  /// The TLS listener of SIP.
  ///
  /// @param certificate PEM, followed by its intermediates; empty for no TLS
  /// @param privateKey PKCS#8 PEM, readable only by its owner
  public record SipTls(@FileName String certificate, @FileName String privateKey, int port) {
    public SipTls {
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

  /// @param sentBy host in Via and Contact; if empty, the local address of the route
  /// @param tls TLS beside UDP and TCP
  /// @param webSocket WebSocket beside them
  /// @param connections most concurrent TCP connections
  /// @param connectionsPerSource most concurrent TCP connections of one IPv4 address or IPv6 /64
  /// @param firstMessage a TCP connection that has sent no complete message after this time is
  ///   closed
  /// @param transactionsMax most server transactions processed at a time (RFC 3261 section 17.2);
  ///   further requests get 503
  /// @param answersPerSecond most responses to refused messages per second
  /// @param answersPerSource most responses per second over UDP to a source that has not yet shown
  ///   a nonce of this bridge; a burst may have five times as many
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
  public record Sip(
      String host,
      int port,
      String sentBy,
      SipTls tls,
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

    private boolean isBoundToOneAddress() {
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
  }

  /// The IMS core network that the bridge serves as an application server.
  ///
  /// @param peers servers of the core by their addresses; their word about users and charging
  ///   counts
  /// @param tlsNames common names of the certificates of further servers, which connect by TLS
  /// @param trust PEM file of the authorities that have issued these certificates
  /// @param identity SIP address of this service in requests to the core; if empty,
  ///   `sip:snapt@DOMAIN`
  public record Core(
      List<CorePeer> peers, List<String> tlsNames, @FileName String trust, String identity) {
    private static final int PEERS_MAX = 64;

    public Core {
      peers = List.copyOf(peers);
      tlsNames = List.copyOf(tlsNames);
      int size = peers.size() + tlsNames.size();
      require(size <= PEERS_MAX, "peers and tls-names must be at most " + PEERS_MAX, size);
      require(
          tlsNames.isEmpty() == trust.isEmpty(),
          "tls-names and trust belong together: give both or none",
          tlsNames + ", " + trust);
      if (!identity.isEmpty()) {
        SipUri.parse(identity);
      }
    }
  }

  /// A server of the core, such as an S-CSCF.
  ///
  /// @param address IP address that its requests come from, and that requests to it go to
  /// @param port that requests to it go to
  /// @param transport of both, `udp` or `tcp`
  public record CorePeer(String address, int port, String transport) {
    public CorePeer {
      requirePort(port, 1);
      require(
          transport.equals("udp") || transport.equals("tcp"),
          "transport must be udp or tcp",
          transport);
      require(
          !InetAddress.ofLiteral(address).isAnyLocalAddress(),
          "address must be the address of one server",
          address);
    }

    public SipFlow flow() {
      return new SipFlow(
          Transport.valueOf(transport.toUpperCase(Locale.ROOT)),
          new InetSocketAddress(InetAddress.ofLiteral(address), port));
    }
  }

  /// @param perUser most calls that one user has made and that stand or ring
  /// @param max most calls in all; further ones get 503
  /// @param ring longest time that a device rings without a new provisional response (RFC 3261
  ///   section 16.6: Timer C)
  /// @param sessionMin shortest session timer that is taken (RFC 4028: Min-SE)
  /// @param session session timer of calls that ask for none, and the longest
  /// @param longest a call without session timer is forgotten after this time
  public record Calls(
      int perUser,
      int max,
      Duration ring,
      Duration sessionMin,
      Duration session,
      Duration longest) {
    public Calls {
      require(
          perUser >= 1 && perUser <= max && max <= 1_000_000,
          "need 1 <= per-user <= max <= 1000000",
          perUser + ", " + max);
      require(ring.toMillis() >= 100, "ring must be >= 100ms", ring);
      require(
          sessionMin.toSeconds() >= 90
              && sessionMin.compareTo(session) <= 0
              && session.compareTo(longest) <= 0,
          "need 90s <= session-min <= session <= longest",
          sessionMin + ", " + session + ", " + longest);
    }
  }

  /// Several bridges of one domain (ADR 0073).
  ///
  /// @param name of this bridge, different for each
  /// @param keyFile file with base64 of 32 bytes, the same at all bridges; none: a new random key
  ///   at each start
  /// @param peers the other bridges
  public record Bridges(String name, Optional<Secret> keyFile, List<Peer> peers) {
    private static final int PEERS_MAX = 15;
    private static final int KEY_BYTES = 32;

    public Bridges {
      peers = List.copyOf(peers);
      require(name.matches(NAME), "name must match " + NAME, name);
      require(peers.size() <= PEERS_MAX, "peers must be at most " + PEERS_MAX, peers.size());
      Set<String> names = new HashSet<>(Set.of(name));
      Set<Integer> ids = new HashSet<>(Set.of(nonceId(name)));
      for (Peer peer : peers) {
        require(names.add(peer.name), "the bridges must have different names", peer.name);
        require(
            ids.add(nonceId(peer.name)),
            "two names have one number in nonces: choose another name",
            peer.name);
      }
      require(
          peers.isEmpty() || keyFile.isPresent(),
          "peers needs key-file: the bridges must share a key",
          peers.size());
      keyFile.ifPresent(
          file -> require(isKey(file), "key-file must hold base64 of 32 bytes", file));
    }

    private static boolean isKey(Secret file) {
      try {
        return Base64.getDecoder().decode(file.reveal()).length == KEY_BYTES;
      } catch (IllegalArgumentException e) {
        return false;
      }
    }

    /// Returns whether there are other bridges.
    public boolean areSeveral() {
      return !peers.isEmpty();
    }

    /// Returns the number by which nonces name a bridge: 16 bits.
    public static int nonceId(String bridge) {
      byte[] digest = Sha256.of(bridge);
      return (digest[0] & 0xff) << 8 | digest[1] & 0xff;
    }
  }

  /// Another bridge of the domain.
  ///
  /// @param name its `bridges.name`
  /// @param host of its gRPC listener, which its certificate must name
  public record Peer(String name, String host, int port) {
    public Peer {
      require(name.matches(NAME), "name must match " + NAME, name);
      require(!host.isEmpty(), "host must be the host of the bridge", host);
      requirePort(port, 1);
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

  /// @param tokenFile bearer token that callers must send
  public record Rest(String host, int port, Secret tokenFile) {
    public Rest {
      requirePort(port, 0);
    }
  }

  /// @param deadline longest wait for the answer to a submission; then its reports are deferred
  /// @param batch most reports in one submission
  /// @param linger how long a batch waits for further reports
  /// @param inFlight most concurrent submissions
  /// @param queue most reports that wait for billing; further reports are deferred
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
  /// @param acceptedKeys base64 of further raw public keys that SNAPTs accept: the former key while
  ///   its tokens are valid, and the next key before it signs
  /// @param lifetime lifetime of a token; a new token is sent after 60 % of it
  /// @param audience group of SNAPTs that accept the token
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

    public List<PublicKey> accepted() {
      return acceptedKeys.stream().map(key -> publicKey("accepted-keys", key)).toList();
    }
  }

  /// One SNAPT that may announce itself.
  ///
  /// @param id common name of its certificate
  /// @param reportKey base64 of the raw 32-byte Ed25519 key that signs its reports
  /// @param lineRate bit/s in each direction; a report of more bytes than this rate carries is
  ///   refused. Empty: 10 Gbit/s
  public record Snapt(
      String id, String reportKey, String owner, String region, Optional<Long> lineRate) {
    /// The fastest network port that hosts commonly have.
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

  /// @param staleAfter devices are not sent to a SNAPT that has been silent for longer
  /// @param first ids of the SNAPTs that devices try first, in this order
  public record Directory(Duration staleAfter, List<String> first) {
    public Directory {
      first = List.copyOf(first);
      require(staleAfter.toMillis() >= 500, "stale-after must be >= 500ms", staleAfter);
    }
  }

  /// @param interval interval between usage reports, sent to agents with their token
  /// @param bytes longest signed report, in bytes
  /// @param unacknowledged most reports of one SNAPT without an acknowledgement
  /// @param sip true if SNAPTs may report by SIP; bodies of SIP messages may then be as long as a
  ///   report
  public record Reporting(Duration interval, int bytes, int unacknowledged, boolean sip) {
    public Reporting {
      require(interval.toSeconds() >= 1, "interval must be >= 1s", interval);
      require(bytes >= 1024 && bytes <= 1 << 20, "bytes must be 1024..1048576", bytes);
      require(unacknowledged >= 1, "unacknowledged must be >= 1", unacknowledged);
    }
  }

  /// @param transport to billing itself, or by Apache Kafka
  public record Reports(Transport transport) {
    /// The way of reports to billing.
    public enum Transport {
      /// Billing's mediation, whose answer is the verdict.
      GRPC,
      /// A topic of Apache Kafka; the verdict comes by another topic.
      KAFKA;

      @JsonCreator
      static Transport of(String text) {
        for (Transport value : values()) {
          if (value.name().equals(text.toUpperCase(Locale.ROOT))) {
            return value;
          }
        }
        throw new IllegalArgumentException("transport must be grpc or kafka, got '" + text + "'");
      }
    }
  }

  /// @param broker connection to the cluster
  /// @param reports topic of reports
  /// @param verdicts topic of billing's verdicts
  /// @param deadline longest wait for the broker's acknowledgement; then the report is deferred
  /// @param inFlight most reports without the broker's acknowledgement; further ones are deferred
  /// @param bufferBytes most bytes of these reports in memory
  public record Kafka(
      BrokerSettings broker,
      String reports,
      String verdicts,
      Duration deadline,
      int inFlight,
      long bufferBytes) {
    private static final String TOPIC = "[A-Za-z0-9._-]{1,249}";

    public Kafka {
      require(reports.matches(TOPIC), "reports must match " + TOPIC, reports);
      require(verdicts.matches(TOPIC), "verdicts must match " + TOPIC, verdicts);
      require(
          deadline.toMillis() >= 1000 && deadline.toMinutes() <= 2,
          "deadline must be 1s..2m",
          deadline);
      require(inFlight >= 1 && inFlight <= 1 << 20, "in-flight must be 1..1048576", inFlight);
      require(
          bufferBytes >= 1 << 20 && bufferBytes <= 1L << 31,
          "buffer-bytes must be 1048576..2147483648",
          bufferBytes);
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
