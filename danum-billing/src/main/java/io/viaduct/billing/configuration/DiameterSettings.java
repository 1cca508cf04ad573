package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import io.viaduct.service.configuration.FileName;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Diameter: nodes of the operator's network ask for the seconds of their calls (Ro), and charging
/// data functions get accounting records (Rf).
///
/// @param identity Origin-Host of this billing, a fully qualified domain name; empty for no
///   Diameter
/// @param realm Origin-Realm
/// @param host address that peers connect to, and that they are told as Host-IP-Address
/// @param port port of the listener; 0 takes a free port
/// @param peers nodes that may connect or are connected to; accounting records go to the first one
///   that takes them
/// @param watchdog time without a message after which a peer is asked for a sign of life
/// @param requestsMax most requests that are processed at a time; further ones are answered with
///   3004
/// @param calls bounds on what a call is granted
/// @param rf accounting records
/// @param ro credit of accounts at the operator's charging system
public record DiameterSettings(
    String identity,
    String realm,
    String host,
    int port,
    List<Peer> peers,
    Duration watchdog,
    int requestsMax,
    Calls calls,
    Rf rf,
    Ro ro) {
  private static final String DOMAIN = "[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?";
  private static final String ADDRESS = "[0-9a-fA-F.:]{2,45}";

  public DiameterSettings {
    require(
        identity.isEmpty() || identity.matches(DOMAIN),
        "identity must be a domain name, or empty",
        identity);
    require(
        identity.isEmpty() || realm.matches(DOMAIN),
        "realm must be a domain name if there is an identity",
        realm);
    require(
        host.matches(ADDRESS) && !host.equals("0.0.0.0") && !host.equals("::"),
        "host must be one IP address, because peers are told it",
        host);
    require(port >= 0 && port <= 65535, "port must be 0 to 65535", Integer.toString(port));
    peers = List.copyOf(peers);
    require(
        identity.isEmpty() || !peers.isEmpty(),
        "peers must name at least one node if there is an identity",
        "[]");
    require(
        peers.stream().map(peer -> peer.host().toLowerCase(Locale.ROOT)).distinct().count()
            == peers.size(),
        "peers must have different hosts",
        peers.stream().map(Peer::host).toList().toString());
    between("watchdog", watchdog, Duration.ofSeconds(6), Duration.ofMinutes(10));
    require(
        requestsMax >= 1 && requestsMax <= 100_000,
        "requests-max must be 1 to 100000",
        Integer.toString(requestsMax));
    require(
        identity.isEmpty()
            || rf.directory().isEmpty() && ro.realm().isEmpty()
            || peers.stream().anyMatch(peer -> peer.address().isPresent()),
        "one of the peers must have an address if there are accounting records or credit by Ro",
        rf.directory());
  }

  /// Returns true if billing speaks Diameter.
  public boolean hasNode() {
    return !identity.isEmpty();
  }

  /// Returns true if billing makes accounting records.
  public boolean hasRecords() {
    return hasNode() && !rf.directory().isEmpty();
  }

  /// Returns true if the operator's charging system owns the money of accounts.
  public boolean hasCredit() {
    return hasNode() && !ro.realm().isEmpty();
  }

  /// A node.
  ///
  /// @param host its Origin-Host
  /// @param sources addresses that it connects from; empty for any, if a tunnel protects the port
  /// @param address IP address to connect to; left out if only the node connects
  /// @param port port to connect to; left out for 3868
  public record Peer(
      String host, List<String> sources, Optional<String> address, Optional<Integer> port) {
    private static final int PORT = 3868;

    public Peer {
      address.ifPresent(given ->
          require(given.matches(ADDRESS), "the address of a peer must be an IP address", given));
      port.ifPresent(given ->
          require(
              given >= 1 && given <= 65535,
              "the port of a peer must be 1 to 65535",
              Integer.toString(given)));
      require(host.matches(DOMAIN), "the host of a peer must be a domain name", host);
      sources = List.copyOf(sources);
      for (String source : sources) {
        require(source.matches(ADDRESS), "sources must be IP addresses", source);
      }
    }

    /// Returns the port to connect to.
    public int portOrDefault() {
      return port.orElse(PORT);
    }
  }

  /// Accounting records of posted reports.
  ///
  /// @param directory queue of records that no peer has taken, of this instance alone; empty for no
  ///   records
  /// @param realm Destination-Realm of the charging data functions; required if there is a
  ///   directory
  /// @param context Service-Context-Id
  /// @param queueMax most records in the queue; further reports wait in the database
  public record Rf(@FileName String directory, String realm, String context, int queueMax) {
    public Rf {
      require(
          directory.isEmpty() || realm.matches(DOMAIN),
          "realm must be a domain name if there is a directory",
          realm);
      require(
          context.matches("[A-Za-z0-9._@-]{1,128}"),
          "context must be 1 to 128 of A-Z a-z 0-9 . _ @ -",
          context);
      require(
          queueMax >= 1 && queueMax <= 10_000_000,
          "queue-max must be 1 to 10000000",
          Integer.toString(queueMax));
    }
  }

  /// Credit of accounts at the operator's charging system.
  ///
  /// @param realm Destination-Realm of the charging system; empty if billing owns the money
  /// @param context Service-Context-Id
  /// @param ratingGroup Rating-Group of the service
  /// @param unit unit of requests; grants may have either
  /// @param currency Currency-Code of CC-Money (ISO 4217), of which one unit is one denarius
  /// @param chunk denarii that an account has at hand; more is asked for when half of it is left
  /// @param validity time after which a grant without Validity-Time is renewed
  /// @param idle time without a session of the account after which its credit-control session ends
  /// @param retry time after which a request is sent again, or a refused account asks again
  public record Ro(
      String realm,
      String context,
      long ratingGroup,
      Unit unit,
      int currency,
      long chunk,
      Duration validity,
      Duration idle,
      Duration retry) {
    private static final long CHUNK_MAX = 1_000_000;

    /// Units of credit.
    public enum Unit {
      /// CC-Service-Specific-Units that are micro-denarii.
      SPECIFIC,
      /// CC-Money.
      MONEY;

      /// Returns the unit with a name of the configuration.
      public static Unit of(String name) {
        require(name.equals("specific") || name.equals("money"), "must be specific or money", name);
        return valueOf(name.toUpperCase(Locale.ROOT));
      }
    }

    public Ro {
      require(realm.isEmpty() || realm.matches(DOMAIN), "realm must be a domain name", realm);
      require(
          context.matches("[A-Za-z0-9._@-]{1,128}"),
          "context must be 1 to 128 of A-Z a-z 0-9 . _ @ -",
          context);
      require(
          ratingGroup >= 0 && ratingGroup <= 0xFFFF_FFFFL,
          "rating-group must fit 32 bits",
          Long.toString(ratingGroup));
      require(
          currency >= 1 && currency <= 999,
          "currency must be a number of ISO 4217, 1 to 999",
          Integer.toString(currency));
      require(
          chunk >= 1 && chunk <= CHUNK_MAX,
          "chunk must be 1 to " + CHUNK_MAX + " denarii",
          Long.toString(chunk));
      between("validity", validity, Duration.ofSeconds(1), Duration.ofHours(24));
      between("idle", idle, Duration.ofSeconds(1), Duration.ofHours(24));
      between("retry", retry, Duration.ofSeconds(1), Duration.ofHours(1));
    }
  }

  /// Bounds on what a call is granted.
  ///
  /// @param grant longest time that is granted at once
  /// @param validity time after its last request at which a call has ended
  /// @param voiceKbitPerSecond largest flow of `voice-call` that such a call carries if its node
  ///   describes no media, both directions together; 0: none
  public record Calls(Duration grant, Duration validity, int voiceKbitPerSecond) {
    public Calls {
      between("grant", grant, Duration.ofSeconds(1), Duration.ofHours(1));
      between("validity", validity, grant, Duration.ofHours(24));
      require(
          voiceKbitPerSecond >= 0 && voiceKbitPerSecond <= 10_000,
          "voice-kbit-per-second must be 0 to 10000",
          Integer.toString(voiceKbitPerSecond));
    }
  }
}
