package io.viaduct.cnapt.naming;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Reads the resolvers of the host's network (resolv.conf(5)). If the host uses systemd-resolved's
/// stub, returns the resolvers behind it, because the stub's own packets have no mark and would
/// enter the tunnel. If the agent has set the resolvers of the applications, returns the former
/// ones.
final class NameServers {
  private static final int PORT = 53;
  // MAXNS of resolv.h is 3.
  private static final int SERVERS_MAX = 3;
  private static final String STUB = "127.0.0.53";

  private final Path resolvConf;
  private final Path behindStub;
  private final List<InetAddress> inside;

  /// Reads the files of this host.
  ///
  /// @param inside resolvers that the agent has set in systemd-resolved for the tunnel
  NameServers(List<InetAddress> inside) {
    this(Path.of("/etc/resolv.conf"), Path.of("/run/systemd/resolve/resolv.conf"), inside);
  }

  NameServers(Path resolvConf, Path behindStub, List<InetAddress> inside) {
    this.resolvConf = resolvConf;
    this.behindStub = behindStub;
    this.inside = List.copyOf(inside);
  }

  /// Returns the present servers, in order; empty if the host has none.
  List<InetSocketAddress> read() {
    List<InetSocketAddress> servers = of(ResolverFile.outside(resolvConf));
    boolean stubOnly = !servers.isEmpty() && servers.stream().allMatch(NameServers::isStub);
    List<InetSocketAddress> behind =
        stubOnly
            ? of(behindStub).stream().filter(s -> !inside.contains(s.getAddress())).toList()
            : List.of();
    return behind.isEmpty() ? servers : behind;
  }

  /// Returns true if the server is systemd-resolved's stub.
  static boolean isStub(InetSocketAddress server) {
    return server.getAddress().getHostAddress().equals(STUB);
  }

  /// Returns the servers that a file names.
  static List<InetSocketAddress> of(Path file) {
    List<InetSocketAddress> servers = new ArrayList<>();
    try (Stream<String> lines = Files.lines(file)) {
      lines
          .map(line -> line.strip().split("\\s+"))
          .filter(words -> words.length >= 2 && words[0].equals("nameserver"))
          .map(words -> NetUtil.createInetAddressFromIpAddressString(words[1]))
          .filter(address -> address != null)
          .limit(SERVERS_MAX)
          .forEach(address -> servers.add(new InetSocketAddress(address, PORT)));
    } catch (IOException | java.io.UncheckedIOException _) {
      return List.of(); // a host without a resolver can still use numeric addresses
    }
    return servers;
  }
}
