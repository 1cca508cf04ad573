package io.viaduct.cnapt.egress;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.naming.LabPortal;
import io.viaduct.cnapt.naming.NamesScenario;
import io.viaduct.host.tun.TunDevice;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/// Runs inside the namespace of [LinkPortalLabIT]: a device with two links, whose tunnel is carried
/// by the first one, and whose second one leads to [LabPortal].
///
///     device up1 10.5.1.2 ── a gateway behind which pages answer
///            up2 10.5.2.2 ── a captive portal
final class LinkPortalScenario {
  private static final int MARK = 30305;
  private static final String SNAPT = "203.0.113.7"; // behind both links
  private static final AtomicReference<List<SilentLink>> SILENT = new AtomicReference<>();

  private LinkPortalScenario() {}

  private static SilentLink link(int number) {
    List<InetAddress> sources = List.of(InetAddress.ofLiteral("10.5." + number + ".2"));
    return new SilentLink("up" + number, number, sources);
  }

  private static final ProbedNetwork NETWORK =
      new ProbedNetwork() {
        @Override
        public List<String> snapts() {
          return List.of(SNAPT);
        }

        @Override
        public List<SilentLink> silentLinks() {
          return SILENT.get();
        }
      };

  private static final PortalNaming NO_NAMES =
      new PortalNaming() {
        @Override
        public void answer(Map<String, List<InetAddress>> hosts) {
          System.out.println("named " + hosts);
        }

        @Override
        public void end() {}
      };

  public static void main(String[] arguments) throws Exception {
    NamesScenario.shell("ip link set lo up");
    Process open = LabPortal.start(1);
    Process portal = LabPortal.start(2);
    var loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try (TunDevice _ = TunDevice.open(new io.viaduct.host.tun.TunSettings("viaduct9", 1));
        var routes =
            EgressRouting.lead(
                new TunSettings("viaduct9", "100.96.0.2", ""),
                "viaduct9",
                1400,
                new RoutingSettings(true, MARK, MARK, 30300, List.of()),
                List.of(),
                SplitTunnel.NONE)) {
      PageRequest agent = new PageRequest(loops.next(), MARK);
      ask(agent, "http://203.0.113.9/accept", "203.0.113.9", 1);
      System.out.println("page of the Internet by up1 " + internet(agent, 1));
      SILENT.set(List.of(link(1), link(2)));
      PortalSettings every = new PortalSettings("snapt", Duration.ofSeconds(1));
      routes.watchPortal(every, NETWORK, loops.next(), NO_NAMES, () -> {});
      routes.carries(true);
      pass(routes, agent, new PageRequest(loops.next(), 0));
    } finally {
      open.destroyForcibly();
      portal.destroyForcibly();
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
    System.exit(0);
  }

  private static void pass(EgressRouting routes, PageRequest agent, PageRequest program)
      throws Exception {
    until(() -> !routes.portalsOnLinks().isEmpty());
    System.out.println("on links " + routes.portalsOnLinks());
    System.out.println("stands in the way of all: '" + routes.portal() + "'");
    System.out.println(
        "rules for portals " + NamesScenario.said("ip rule show | grep -c 'proto 120'"));
    System.out.println(
        "accepted by up2 " + ask(program, "http://203.0.113.9/accept", "203.0.113.9", 2));
    System.out.println("page of the Internet by up2 " + internet(agent, 2));
    SILENT.set(List.of());
    until(() -> routes.portalsOnLinks().isEmpty());
    System.out.println("on links after it answers " + routes.portalsOnLinks());
  }

  private static PageRequest.Answer internet(PageRequest by, int link) throws IOException {
    return ask(by, "http://" + SNAPT + "/generate_204", SNAPT, link);
  }

  private static PageRequest.Answer ask(PageRequest by, String page, String host, int link)
      throws IOException {
    return by.ask(URI.create(page), InetAddress.ofLiteral(host), link(link));
  }

  private static void until(BooleanSupplier isMet) throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!isMet.getAsBoolean() && System.nanoTime() < endNs) {
      TimeUnit.MILLISECONDS.sleep(20); // no event of the other program can be heard
    }
  }
}
