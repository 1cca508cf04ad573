package io.viaduct.cnapt.naming;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.egress.EgressRouting;
import io.viaduct.cnapt.egress.RoutingSettings;
import io.viaduct.cnapt.egress.SplitTunnel;
import io.viaduct.cnapt.egress.TunSettings;
import io.viaduct.host.tun.TunDevice;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Runs inside the namespace of [OutsideResolverLabIT]. The device has routes into a tunnel that is down, and resolvers behind the gateways of two links.
///
///     device up1 10.5.1.2 ── 10.5.1.1 gateway with resolver 198.51.100.1 on its loopback
///            up2 10.5.2.2 ── 10.5.2.1 gateway with resolver 198.51.100.2
public final class NamesScenario {
  private static final int MARK = 30305;
  private static final AtomicLong LATER_NS = new AtomicLong();
  private static final AtomicLong CARRIED = new AtomicLong();

  private NamesScenario() {}

  public static void main(String[] arguments) throws Exception {
    shell("ip link set lo up");
    Process first = gateway(1, "203.0.113.5");
    Process second = gateway(2, "203.0.113.6");
    Path resolvConf = Files.writeString(Files.createTempFile("resolv", ".conf"), of(1));
    var loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try (TunDevice _ = TunDevice.open(new io.viaduct.host.tun.TunSettings("viaduct9", 1));
        var _ =
            EgressRouting.lead(
                new TunSettings("viaduct9", "100.96.0.2", "fd76::2"),
                "viaduct9",
                1400,
                new RoutingSettings(true, MARK, MARK, 30300, List.of()),
                List.of(),
                SplitTunnel.NONE)) {
      look(new NameServers(resolvConf, resolvConf, List.of()), resolvConf, loops);
    } finally {
      Files.delete(resolvConf);
      first.destroyForcibly();
      second.destroyForcibly();
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private static void look(NameServers servers, Path resolvConf, MultiThreadIoEventLoopGroup loops)
      throws Exception {
    var outside =
        new OutsideResolver(
            loops.next(),
            MARK,
            servers::read,
            () -> System.nanoTime() + LATER_NS.get(),
            CARRIED::incrementAndGet);
    var inside =
        new OutsideResolver(
            loops.next(), 0, servers::read, System::nanoTime, CARRIED::incrementAndGet);
    OutsideResolverProvider.install(outside);
    System.out.println("by any library " + InetAddress.getByName("bridge.lab").getHostAddress());
    OutsideResolverProvider.install(null);
    System.out.println("without the mark " + asked(inside, "bridge.lab"));
    shell("ip link set up1 down");
    LATER_NS.set(TimeUnit.SECONDS.toNanos(60));
    long beforeNs = System.nanoTime();
    String stale = asked(outside, "bridge.lab");
    long ms = (System.nanoTime() - beforeNs) / 1_000_000;
    System.out.println("link gone " + stale + (ms < 2000 ? " soon" : " after " + ms + " ms"));
    System.out.println("never seen " + asked(outside, "other.lab"));
    Files.writeString(resolvConf, of(2));
    shell("ip route replace default via 10.5.2.1 dev up2");
    outside.networkChanged();
    String fresh = "";
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!fresh.equals("203.0.113.6") && System.nanoTime() < endNs) {
      fresh = asked(outside, "bridge.lab");
    }
    System.out.println("other network " + fresh);
    outside.close();
    inside.close();
  }

  private static String of(int link) {
    return "nameserver 198.51.100." + link + "\n";
  }

  static String asked(OutsideResolver resolver, String host) {
    try {
      return resolver.resolve(host).getFirst().getHostAddress();
    } catch (UnknownHostException e) {
      return "unknown: " + e.getMessage();
    }
  }

  private static Process gateway(int link, String answer) throws Exception {
    return gateway(link, LabNameServer.class, answer);
  }

  /// Starts a gateway behind a link: a program that has its address 198.51.100.LINK.
  ///
  /// @param answers the answers of its resolver, as [LabNameServer] takes them
  public static Process gateway(int link, Class<?> program, String... answers) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of(
                "unshare",
                "--net",
                "sh",
                "-c",
                "ip link set lo up; ip address add $0/32 dev lo; exec \"$@\"",
                "198.51.100." + link,
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                program.getName(),
                "198.51.100." + link));
    line.addAll(List.of(answers));
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    String said = process.inputReader(UTF_8).readLine();
    if (!"serving".equals(said)) {
      throw new IOException("no resolver: " + said);
    }
    shell(
        """
        ip link add up%1$d type veth peer name gw0 netns %2$d
        ip address add 10.5.%1$d.2/24 dev up%1$d
        ip link set up%1$d up
        nsenter --net --target %2$d sh -c 'ip address add 10.5.%1$d.1/24 dev gw0; ip link set gw0 up'
        ip route add default via 10.5.%1$d.1 metric %1$d
        """
            .formatted(link, process.pid()));
    return process;
  }

  /// Runs a command line, and prints what it says if it fails.
  public static void shell(String command) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    if (process.waitFor() != 0) {
      System.out.println(command + ": " + output);
    }
  }

  /// Returns what a command line says.
  public static String said(String command) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    process.waitFor();
    return output;
  }
}
