package io.viaduct.cnapt.naming;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.egress.EgressRouting;
import io.viaduct.cnapt.egress.PortalSettings;
import io.viaduct.cnapt.egress.ProbedNetwork;
import io.viaduct.cnapt.egress.RoutingSettings;
import io.viaduct.cnapt.egress.SilentLink;
import io.viaduct.cnapt.egress.SplitTunnel;
import io.viaduct.cnapt.egress.TunSettings;
import io.viaduct.host.tun.TunDevice;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Runs inside the namespace of [PortalLabIT]: a device in the network of [LabPortal], whose tunnel
/// carries nothing, and whose applications ask a resolver behind the tunnel.
final class PortalScenario {
  private static final int MARK = 30305;
  private static final TunSettings TUN = new TunSettings("viaduct9", "100.96.0.2", "");
  private static final InetSocketAddress OWN = new InetSocketAddress("100.96.0.2", 53);
  private static final List<InetAddress> DNS = List.of(InetAddress.ofLiteral("198.51.100.53"));

  private final OutsideResolver outside; // as the agent asks
  private final OutsideResolver inside; // as applications ask
  private final Path conf;
  private final Path shown; // without the line that names the kept file

  private PortalScenario(OutsideResolver outside, OutsideResolver inside, Path conf, Path shown) {
    this.outside = outside;
    this.inside = inside;
    this.conf = conf;
    this.shown = shown;
  }

  public static void main(String[] arguments) throws Exception {
    NamesScenario.shell("ip link set lo up");
    Process gateway = LabPortal.start(1);
    Path folder = Files.createTempDirectory("portal");
    Path conf = Files.writeString(folder.resolve("resolv.conf"), "nameserver 198.51.100.1\n");
    var loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    NameServers network = new NameServers(conf, conf, List.of());
    Path shown = folder.resolve("shown.conf");
    OutsideResolver outside =
        new OutsideResolver(loops.next(), MARK, network::read, System::nanoTime, () -> 0);
    OutsideResolver inside =
        new OutsideResolver(
            loops.next(),
            0,
            new NameServers(shown, shown, List.of())::read,
            System::nanoTime,
            () -> 0);
    OutsideResolverProvider.install(outside);
    try (TunDevice _ = TunDevice.open(new io.viaduct.host.tun.TunSettings("viaduct9", 1));
        var resolvers = ApplicationResolvers.set(List.of("198.51.100.53"), conf, folder, null);
        var routes =
            EgressRouting.lead(
                TUN,
                "viaduct9",
                1400,
                new RoutingSettings(true, MARK, MARK, 30300, List.of()),
                DNS,
                SplitTunnel.NONE)) {
      CountDownLatch passed = new CountDownLatch(1);
      PortalNames names = new PortalNames(loops.next(), OWN, () -> resolvers);
      routes.watchPortal(
          new PortalSettings("snapt", Duration.ofSeconds(1)),
          new ProbedNetwork() {
            @Override
            public List<String> snapts() {
              return List.of("snapt.lab");
            }

            @Override
            public List<SilentLink> silentLinks() {
              return List.of();
            }
          },
          loops.next(),
          names,
          passed::countDown);
      new PortalScenario(outside, inside, conf, shown).pass(routes, passed);
    } finally {
      OutsideResolverProvider.install(null);
      gateway.destroyForcibly();
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
    System.out.println("left " + NamesScenario.said("ip rule show | grep -c 'proto 120'"));
    System.exit(0);
  }

  private void pass(EgressRouting routes, CountDownLatch passed) throws Exception {
    System.out.println("before " + reach("203.0.113.7"));
    until(() -> !routes.portal().isEmpty() && isIn("100.96.0.2"));
    System.out.println("noticed " + routes.portal());
    System.out.println("name " + asked("portal.lab"));
    System.out.println("second name " + asked("login.lab"));
    System.out.println("other name " + asked("other.lab"));
    System.out.println("portal " + reach("203.0.113.7"));
    System.out.println("log-in " + get("203.0.113.9", "/form"));
    System.out.println("other host " + reach("203.0.113.8"));
    System.out.println("accept " + get("203.0.113.9", "/accept"));
    System.out.println("passed " + passed.await(20, TimeUnit.SECONDS));
    until(() -> isIn("198.51.100.53"));
    System.out.println("after " + reach("203.0.113.7") + " " + routes.portal());
    outside.close();
    inside.close();
  }

  private boolean isIn(String resolver) {
    try {
      return Files.readString(conf).contains("nameserver " + resolver);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void until(BooleanSupplier isMet) throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!isMet.getAsBoolean() && System.nanoTime() < endNs) {
      TimeUnit.MILLISECONDS.sleep(20); // no event of the other program can be heard
    }
  }

  private String asked(String host) throws IOException {
    List<String> lines = Files.readAllLines(conf);
    Files.write(shown, lines.subList(1, lines.size()));
    return NamesScenario.asked(inside, host);
  }

  private static String reach(String host) {
    return get(host, "/generate_204");
  }

  private static String get(String host, String path) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.ofLiteral(host), 80), 300);
      socket.getOutputStream().write(("GET " + path + " HTTP/1.0\r\n\r\n").getBytes(US_ASCII));
      return new String(socket.getInputStream().readNBytes(12), US_ASCII);
    } catch (IOException e) {
      return "cannot be reached";
    }
  }
}
