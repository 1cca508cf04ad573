package io.viaduct.snapt.attribution;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Finds the account that had a public address and port at a given time, from the files of
/// [AttributionLog]. Works while the SNAPT runs and while it is stopped.
public final class AttributionQuery {
  // The clocks of hosts that report abuse are not exact.
  private static final long TOLERANCE_MS = 2_000;

  private final InetAddress address;
  private final int port;
  private final long timeMs;
  // Pool address → `account session token` of the session that has the address at that time.
  private final Map<String, String> holders = new HashMap<>();
  private final Map<String, Connection> connections = new LinkedHashMap<>();

  /// A session that had the address and port.
  ///
  /// @param protocol IANA protocol number; 0 if the address is a pool address, which only this
  ///   session has
  /// @param remote address and port of the other end; empty if there is no connection
  public record Holder(String account, String session, String token, int protocol, String remote) {
    @Override
    public String toString() {
      return "account %s, session %s, token %s%s"
          .formatted(
              account,
              session,
              token,
              remote.isEmpty() ? "" : ", protocol %d to %s".formatted(protocol, remote));
    }
  }

  private record Connection(int protocol, String remote, String inside, long endedMs) {}

  private AttributionQuery(InetAddress address, int port, long timeMs) {
    this.address = address;
    this.port = port;
    this.timeMs = timeMs;
  }

  /// Searches the files up to a time.
  ///
  /// @return empty if no session had the address and port, or the files of that time are deleted
  public static List<Holder> who(Path folder, InetAddress address, int port, long timeMs)
      throws IOException {
    AttributionQuery query = new AttributionQuery(address, port, timeMs);
    for (Path file : AttributionLog.files(folder)) {
      if (AttributionLog.startMs(file) <= timeMs + TOLERANCE_MS) {
        query.read(file);
      }
    }
    return query.holders();
  }

  private void read(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file, UTF_8)) {
      lines.forEach(line -> read(line.split(" ")));
    }
  }

  private void read(String[] words) {
    long atMs = words.length < 2 ? Long.MAX_VALUE : milliseconds(words[1]);
    if (atMs > timeMs + TOLERANCE_MS) {
      return;
    }
    switch (words[0]) {
      case "R" -> holders.clear();
      case "S" -> session(words, true);
      case "E" -> session(words, atMs + TOLERANCE_MS >= timeMs);
      case "N", "D" -> connection(words, atMs);
      default -> {} // a record type of a later version
    }
  }

  private static long milliseconds(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException _) {
      return Long.MAX_VALUE; // a line that a crash has cut off
    }
  }

  private void session(String[] words, boolean holds) {
    if (words.length < 7) {
      return;
    }
    String who = words[4] + " " + words[5] + " " + words[6];
    for (String pool : List.of(words[2], words[3])) {
      String key = InetAddress.ofLiteral(pool).getHostAddress();
      if (holds) {
        holders.put(key, who);
      } else {
        holders.remove(key, who);
      }
    }
  }

  private void connection(String[] words, long atMs) {
    if (words.length < 8
        || !words[3].equals(address.getHostAddress())
        || !words[4].equals(String.valueOf(port))) {
      return;
    }
    String remote = words[5] + " " + words[6];
    long endedMs = words[0].equals("N") ? Long.MAX_VALUE : atMs;
    connections.put(
        words[2] + " " + remote,
        new Connection(Integer.parseInt(words[2]), remote, words[7], endedMs));
  }

  private List<Holder> holders() {
    List<Holder> found = new ArrayList<>();
    String direct = holders.get(address.getHostAddress());
    if (direct != null) {
      found.add(holder(direct, 0, ""));
    }
    for (Connection each : connections.values()) {
      String who = each.endedMs >= timeMs - TOLERANCE_MS ? holders.get(each.inside) : null;
      if (who != null) {
        found.add(holder(who, each.protocol, each.remote));
      }
    }
    return found;
  }

  private static Holder holder(String who, int protocol, String remote) {
    String[] words = who.split(" ");
    return new Holder(
        URLDecoder.decode(words[0], UTF_8),
        words[1],
        URLDecoder.decode(words[2], UTF_8),
        protocol,
        remote);
  }
}
