package io.viaduct.cnapt.naming;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The resolvers that the host is configured with (resolv.conf(5)). Where that is
/// systemd-resolved's stub, those behind it: the stub's own packets have no mark and would enter
/// the tunnel.
final class NameServers {
  private static final int PORT = 53;
  // MAXNS of resolv.h is 3.
  private static final int SERVERS_MAX = 3;
  private static final String STUB = "127.0.0.53";

  private final Path resolvConf;
  private final Path behindStub;

  /// Of this host.
  NameServers() {
    this(Path.of("/etc/resolv.conf"), Path.of("/run/systemd/resolve/resolv.conf"));
  }

  NameServers(Path resolvConf, Path behindStub) {
    this.resolvConf = resolvConf;
    this.behindStub = behindStub;
  }

  /// The servers now, in order; empty if the host has none.
  List<InetSocketAddress> read() {
    List<InetSocketAddress> servers = read(resolvConf);
    boolean stubOnly =
        !servers.isEmpty()
            && servers.stream().allMatch(s -> s.getAddress().getHostAddress().equals(STUB));
    List<InetSocketAddress> behind = stubOnly ? read(behindStub) : List.of();
    return behind.isEmpty() ? servers : behind;
  }

  private static List<InetSocketAddress> read(Path file) {
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
      return List.of(); // a host without a resolver: names do not work, addresses do
    }
    return servers;
  }
}
