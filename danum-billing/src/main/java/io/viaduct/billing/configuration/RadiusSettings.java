package io.viaduct.billing.configuration;

import io.viaduct.service.configuration.FileName;
import io.viaduct.service.configuration.Secret;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// RADIUS accounting: access networks send records of the sessions of users, and RADIUS servers get
/// records of posted reports.
///
/// @param host address of the listener
/// @param port UDP port of the listener; 0 takes a free port
/// @param clients access servers that send records; without one there is no listener
/// @param requestsMax most records that are processed at a time; further ones are dropped
/// @param accounting records of posted reports
public record RadiusSettings(
    String host, int port, List<Client> clients, int requestsMax, Accounting accounting) {
  private static final String ADDRESS = "[0-9a-fA-F.:]{2,45}";
  private static final String NAME = "[A-Za-z0-9._-]{1,64}";

  public RadiusSettings {
    require(host.matches(ADDRESS), "host must be an IP address", host);
    require(port >= 0 && port <= 65535, "port must be 0 to 65535", Integer.toString(port));
    clients = List.copyOf(clients);
    require(
        clients.stream().map(Client::address).distinct().count() == clients.size(),
        "clients must have different addresses",
        clients.stream().map(Client::address).toList().toString());
    require(
        requestsMax >= 1 && requestsMax <= 10_000,
        "requests-max must be 1 to 10000",
        Integer.toString(requestsMax));
  }

  /// Returns true if access networks may send records.
  public boolean hasListener() {
    return !clients.isEmpty();
  }

  /// Returns true if billing sends records.
  public boolean hasRecords() {
    return !accounting.directory().isEmpty();
  }

  /// An access server, or a proxy of several.
  ///
  /// @param name name of the access network, which users see
  /// @param address source address of its packets
  /// @param secretFile file with the shared secret
  public record Client(String name, String address, Secret secretFile) {
    public Client {
      require(name.matches(NAME), "the name of a client must match " + NAME, name);
      require(address.matches(ADDRESS), "the address of a client must be an IP address", address);
    }
  }

  /// A RADIUS server that takes records.
  ///
  /// @param address its IP address
  /// @param port its UDP port; left out for 1813
  /// @param secretFile file with the shared secret
  public record Server(String address, Optional<Integer> port, Secret secretFile) {
    private static final int PORT = 1813;

    public Server {
      require(address.matches(ADDRESS), "the address of a server must be an IP address", address);
      port.ifPresent(given ->
          require(
              given >= 1 && given <= 65535,
              "the port of a server must be 1 to 65535",
              Integer.toString(given)));
    }

    /// Returns the port to send to.
    public int portOrDefault() {
      return port.orElse(PORT);
    }
  }

  /// Records of posted reports.
  ///
  /// @param directory queue of records that no server has answered, of this instance alone; empty
  ///   for no records
  /// @param servers RADIUS servers in the order in which they are tried
  /// @param nasIdentifier NAS-Identifier of this billing
  /// @param timeout wait for the first answer of a server; each retransmission waits twice as long
  /// @param attempts packets to a server until the next one is tried
  /// @param queueMax most records in the queue; further reports wait in the database
  public record Accounting(
      @FileName String directory,
      List<Server> servers,
      String nasIdentifier,
      Duration timeout,
      int attempts,
      int queueMax) {
    public Accounting {
      servers = List.copyOf(servers);
      require(
          directory.isEmpty() || !servers.isEmpty(),
          "servers must name at least one server if there is a directory",
          "[]");
      require(
          nasIdentifier.matches("[A-Za-z0-9._-]{1,253}"),
          "nas-identifier must be 1 to 253 of A-Z a-z 0-9 . _ -",
          nasIdentifier);
      require(
          timeout.compareTo(Duration.ofMillis(100)) >= 0
              && timeout.compareTo(Duration.ofSeconds(30)) <= 0,
          "timeout must be between PT0.1S and PT30S",
          timeout.toString());
      require(
          attempts >= 1 && attempts <= 8, "attempts must be 1 to 8", Integer.toString(attempts));
      require(
          queueMax >= 1 && queueMax <= 10_000_000,
          "queue-max must be 1 to 10000000",
          Integer.toString(queueMax));
    }
  }

  private static void require(boolean holds, String rule, String value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ", got '" + value + "'");
    }
  }
}
