package io.viaduct.cnapt.egress;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.cnapt.mobility.StrayRoutes;
import io.viaduct.host.netlink.NetlinkMonitor;
import io.viaduct.host.tun.TunDevice;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs inside the namespace of [EgressRoutingLabIT], and prints the resulting state of the kernel.
public final class EgressScenario {
  private static final TunSettings TUN = new TunSettings("viaduct9", "100.96.0.2", "fd76::2");
  private static final RoutingSettings ROUTING =
      new RoutingSettings(
          true,
          30305,
          30305,
          30300,
          List.of(
              AddressPrefix.of("10.0.0.0/8"),
              AddressPrefix.of("fc00::/7"),
              AddressPrefix.of("fe80::/10")));
  private static final int MTU = 1414;

  // Both are in the network of up0.
  private static final List<InetAddress> RESOLVERS =
      List.of(InetAddress.ofLiteral("10.5.0.53"), InetAddress.ofLiteral("fd05::53"));

  private static final SplitTunnel SPLIT =
      SplitTunnel.of(
          List.of(AddressPrefix.of("192.0.2.0/24"), AddressPrefix.of("2001:db8::/32")),
          List.of(UserRange.of("4242-4300")));

  private EgressScenario() {}

  public static void main(String[] arguments) throws Exception {
    shell(
        "ip link set lo up; ip link add up0 type veth peer name up1; ip link set up0 up;"
            + " ip link set up1 up; ip addr add 10.5.0.2/24 dev up0; ip route add default via 10.5.0.1;"
            + " ip -6 addr add fd05::2/64 dev up0 nodad; ip -6 route add default via fd05::1");
    switch (arguments[0]) {
      case "lead" -> lead();
      case "stop" -> stop();
      case "split" -> split();
      case "outage" -> outage();
      case "portal" -> portal();
      case "marked" -> marked();
      case "pushed" -> pushed();
      case "killed" -> killed();
      default -> refused();
    }
    System.out.println(
        "left: rules ["
            + shell(
                "ip rule show priority 30300; ip rule show priority 30301;"
                    + " ip -6 rule show priority 30300; ip -6 rule show priority 30301")
            + "] table ["
            + shell("(ip route show table 30305; ip -6 route show table 30305) 2>/dev/null")
            + "]");
  }

  private static void lead() throws Exception {
    try (TunDevice device = open();
        var _ = EgressRouting.lead(TUN, "viaduct9", MTU, ROUTING, RESOLVERS, SplitTunnel.NONE)) {
      System.out.println("resolver " + shell("ip route get 10.5.0.53"));
      System.out.println("resolver " + shell("ip route get fd05::53"));
      System.out.println("marked resolver " + shell("ip route get 10.5.0.53 mark 30305"));
      System.out.println("tunnelled " + shell("ip route get 8.8.8.8"));
      System.out.println("tunnelled " + shell("ip route get 2001:4860::1"));
      System.out.println("marked " + shell("ip route get 8.8.8.8 mark 30305"));
      System.out.println("connected " + shell("ip route get 10.5.0.7"));
      System.out.println(shell("ip link show " + device.name()));
    }
  }

  // Routes that a hostile network can set by DHCP and router advertisements.
  private static void pushed() throws Exception {
    var loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    StrayRoutes strays = new StrayRoutes("viaduct9", ROUTING.local());
    try (TunDevice _ = open();
        var _ = EgressRouting.lead(TUN, "viaduct9", MTU, ROUTING, RESOLVERS, SplitTunnel.NONE);
        var _ = NetlinkMonitor.start((IoEventLoop) loops.next(), strays::accept)) {
      shell(
          "ip route add 0.0.0.0/1 via 10.5.0.1; ip route add 128.0.0.0/1 via 10.5.0.1;"
              + " ip route add 8.8.8.0/24 dev up0; ip addr add 9.9.9.2/24 dev up0;"
              + " ip -6 route add 2000::/3 via fd05::1; ip route add 10.9.0.0/16 via 10.5.0.3");
      for (String each : List.of("1.1.1.1", "198.51.100.9", "8.8.8.8", "9.9.9.9", "2001:4860::1")) {
        System.out.println("pushed " + shell("ip route get " + each));
      }
      System.out.println("agent " + shell("ip route get 1.1.1.1 mark 30305"));
      System.out.println("private " + shell("ip route get 10.9.0.1"));
      long endNs = System.nanoTime() + 10_000_000_000L;
      while (strays.present().size() < 5 && System.nanoTime() < endNs) {
        Thread.onSpinWait();
      }
      System.out.println("noticed " + strays.seen() + " " + strays.present());
      shell("ip route del 0.0.0.0/1");
      while (strays.present().size() > 4 && System.nanoTime() < endNs) {
        Thread.onSpinWait();
      }
      System.out.println("then " + strays.seen() + ", present " + strays.present().size());
    } finally {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private static void split() throws Exception {
    try (TunDevice _ = open()) {
      EgressRouting.lead(TUN, "viaduct9", MTU, ROUTING, RESOLVERS, SPLIT); // never closed
    }
    try (TunDevice _ = open();
        var _ = EgressRouting.lead(TUN, "viaduct9", MTU, ROUTING, RESOLVERS, SPLIT)) {
      System.out.println("outside " + shell("ip route get 192.0.2.7"));
      System.out.println("outside " + shell("ip route get 2001:db8::7"));
      System.out.println("tunnelled " + shell("ip route get 192.0.3.7"));
      System.out.println("user outside " + shell("ip route get 8.8.8.8 uid 4250"));
      System.out.println("user tunnelled " + shell("ip route get 8.8.8.8 uid 4301"));
      System.out.println("user resolver " + shell("ip route get 10.5.0.53 uid 4250"));
      System.out.println(
          "split rules: " + shell("(ip rule show; ip -6 rule show) | grep -c 'proto 118'"));
      shell("ip -6 route del default via fd05::1; ip route del default via 10.5.0.1");
      System.out.println("no route " + shell("ip route get 2001:db8::7"));
      System.out.println("no route " + shell("ip route get 192.0.2.7"));
      System.out.println("no route for the user " + shell("ip route get 2001:4860::1 uid 4250"));
      System.out.println("still tunnelled " + shell("ip route get 2001:4860::1 uid 4301"));
      shell("ip route add default via 10.5.0.1 table 77; ip rule add priority 32000 lookup 77");
      System.out.println("marked by a rule behind " + shell("ip route get 192.0.2.7 mark 30305"));
    }
    try (TunDevice _ = open();
        var _ = EgressRouting.lead(TUN, "viaduct9", MTU, ROUTING, RESOLVERS, SplitTunnel.NONE)) {
      System.out.println("without a split " + shell("ip route get 192.0.2.7"));
    }
  }

  private static void marked() throws Exception {
    try (TunDevice _ = open()) {
      var routes = EgressRouting.lead(TUN, "viaduct9", MTU, ROUTING, RESOLVERS, SplitTunnel.NONE);
      System.out.println("before " + shell("ip route get 8.8.8.8 mark 30306"));
      routes.outside().markGate(30306, RESOLVERS).open(); // never closed
    }
    try (TunDevice _ = open();
        var routes =
            EgressRouting.lead(TUN, "viaduct9", MTU, ROUTING, RESOLVERS, SplitTunnel.NONE)) {
      System.out.println("replaced " + shell("ip route get 8.8.8.8 mark 30306"));
      Outage.Gate gate = routes.outside().markGate(30306, RESOLVERS);
      gate.open();
      System.out.println("outside " + shell("ip route get 8.8.8.8 mark 30306"));
      System.out.println("outside " + shell("ip route get 2001:4860::1 mark 30306"));
      System.out.println("resolver " + shell("ip route get 10.5.0.53 mark 30306"));
      System.out.println("resolver " + shell("ip route get fd05::53 mark 30306"));
      System.out.println("unmarked " + shell("ip route get 8.8.8.8"));
      shell("ip -6 route del default via fd05::1; ip route del default via 10.5.0.1");
      System.out.println("no route " + shell("ip route get 8.8.8.8 mark 30306"));
      System.out.println("no route " + shell("ip route get 2001:4860::1 mark 30306"));
      gate.shut();
      System.out.println(
          "mark rules: " + shell("(ip rule show; ip -6 rule show) | grep -c 'proto 122'"));
      gate.open();
    }
    System.out.println(
        "mark rules afterwards: " + shell("(ip rule show; ip -6 rule show) | grep -c 'proto 122'"));
  }

  private static void outage() throws Exception {
    try (TunDevice _ = open();
        var routes =
            EgressRouting.lead(TUN, "viaduct9", MTU, ROUTING, RESOLVERS, SplitTunnel.NONE)) {
      Outage.Gate gate = routes.outside().outageGate(TUN, List.of("ipproto 6 dport 80-81"));
      gate.open();
      System.out.println("out " + shell("ip route get 8.8.8.8 ipproto tcp dport 81"));
      System.out.println("closed port " + shell("ip route get 8.8.8.8 ipproto tcp dport 82"));
      System.out.println("closed protocol " + shell("ip route get 8.8.8.8 ipproto udp dport 81"));
      System.out.println(
          "old socket " + shell("ip route get 8.8.8.8 from 100.96.0.2 ipproto tcp dport 81"));
      gate.shut();
      System.out.println("after " + shell("ip route get 8.8.8.8 ipproto tcp dport 81"));
      gate = routes.outside().outageGate(TUN, List.of("from all"));
      gate.open();
      System.out.println("all " + shell("ip route get 8.8.8.8"));
      System.out.println("all " + shell("ip route get 2001:4860::1"));
      System.out.println("all resolver " + shell("ip route get 10.5.0.53"));
    }
    System.out.println(
        "outage rules: " + shell("(ip rule show; ip -6 rule show) | grep -c 'proto 119'"));
  }

  private static void portal() throws Exception {
    try (TunDevice _ = open();
        var routes =
            EgressRouting.lead(TUN, "viaduct9", MTU, ROUTING, RESOLVERS, SplitTunnel.NONE)) {
      PortalWatch.Gate gate = routes.outside().portalGate();
      gate.open(
          List.of(
              new InetSocketAddress("192.0.2.7", 443), new InetSocketAddress("2001:db8::7", 80)));
      System.out.println("portal " + shell("ip route get 192.0.2.7 ipproto tcp dport 443"));
      System.out.println("portal " + shell("ip route get 2001:db8::7 ipproto tcp dport 80"));
      System.out.println("other port " + shell("ip route get 192.0.2.7 ipproto tcp dport 22"));
      System.out.println("other host " + shell("ip route get 192.0.2.8 ipproto tcp dport 443"));
      gate.shut();
      System.out.println("passed " + shell("ip route get 192.0.2.7 ipproto tcp dport 443"));
      gate.open(List.of(new InetSocketAddress("192.0.2.7", 443)));
    }
    System.out.println(
        "portal rules: " + shell("(ip rule show; ip -6 rule show) | grep -c 'proto 120'"));
  }

  private static void stop() throws Exception {
    try (TunDevice _ = open()) {
      EgressRouting.lead(TUN, "viaduct9", MTU, ROUTING, RESOLVERS, SplitTunnel.NONE).close();
    }
  }

  private static void killed() throws Exception {
    try (TunDevice _ = open()) {
      EgressRouting.lead(
          TUN, "viaduct9", MTU, ROUTING, RESOLVERS, SplitTunnel.NONE); // never closed
    }
    try (TunDevice _ = open();
        var _ = EgressRouting.lead(TUN, "viaduct9", MTU, ROUTING, List.of(), SplitTunnel.NONE)) {
      System.out.println(
          "rules of ours: " + shell("(ip rule show; ip -6 rule show) | grep -c -E '^3030[01]:'"));
    }
  }

  private static void refused() throws Exception {
    try (TunDevice _ = open()) {
      EgressRouting.lead(TUN, "viaduct9", 70_000, ROUTING, RESOLVERS, SplitTunnel.NONE);
    } catch (IOException e) {
      System.out.println("refused: " + e.getMessage());
    }
  }

  private static TunDevice open() throws Exception {
    return TunDevice.open(new io.viaduct.host.tun.TunSettings("viaduct9", 1));
  }

  private static String shell(String command) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    process.waitFor();
    return output;
  }
}
