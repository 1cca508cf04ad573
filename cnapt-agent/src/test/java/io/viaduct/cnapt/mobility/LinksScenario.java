package io.viaduct.cnapt.mobility;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.links.LinkListener;
import io.viaduct.cnapt.links.LinkMonitor;
import io.viaduct.cnapt.links.LinkRules;
import io.viaduct.cnapt.links.UsableLink;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Runs inside the namespace of [LinksLabIT]: changes links, and prints what the agent reports
/// about each change.
public final class LinksScenario {
  private static final BlockingQueue<String> REPORTED = new LinkedBlockingQueue<>();

  private LinksScenario() {}

  public static void main(String[] arguments) throws Exception {
    MultiThreadIoEventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    IoEventLoop loop = loops.next();
    LinkMonitor links = new LinkMonitor(loop, LinkRules.of(List.of()), new Reports(), _ -> {});
    shell(
        "ip link set lo up; ip link add eth0 type veth peer name far0; ip link set far0 up;"
            + " ip link set eth0 up; ip addr add 10.5.0.2/24 dev eth0;"
            + " ip link add wwan0 type veth peer name far1; ip link set far1 up;"
            + " ip addr add 10.6.0.2/24 dev wwan0; ip route add default via 10.5.0.1 metric 10");
    try (NetworkWatch watch =
        new NetworkWatch(loop, "viaduct9", 0, () -> null, new Ignoring(), links)) {
      watch.start();
      after("start", "true");
      after("up", "ip link set wwan0 up; ip route add default via 10.6.0.1 dev wwan0 metric 20");
      after("ipv6 address", "ip -6 addr add fd06::2/64 dev wwan0 nodad");
      after("ipv6 route", "ip -6 route add default via fd06::1 dev wwan0");
      after("route gone", "ip route del default dev eth0");
      after("carrier lost", "ip link set far1 down");
      after("carrier back", "ip link set far1 up");
      after(
          "tunnel",
          "ip link add viaduct9 type veth peer name far9; ip link set far9 up;"
              + " ip link set viaduct9 up; ip addr add 100.96.0.2/32 dev viaduct9;"
              + " ip route add default dev viaduct9 metric 1");
      after("deleted", "ip link del wwan0");
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2000);
  }

  /// Runs a command, and prints the reports until half a second has passed without one.
  private static void after(String name, String command) throws Exception {
    shell(command);
    StringBuilder text = new StringBuilder(name + ":");
    String report = REPORTED.poll(1500, TimeUnit.MILLISECONDS);
    while (report != null) {
      text.append(' ').append(report).append(';');
      report = REPORTED.poll(500, TimeUnit.MILLISECONDS);
    }
    System.out.println(text);
  }

  private static void shell(String command) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    if (process.waitFor() != 0) {
      throw new IllegalStateException(command + ": " + output);
    }
  }

  private static final class Reports implements LinkListener {
    @Override
    public void linkAdded(UsableLink link) {
      REPORTED.add("added " + described(link));
    }

    @Override
    public void linkRemoved(UsableLink link) {
      REPORTED.add("removed " + link.name());
    }

    @Override
    public void linkChanged(UsableLink before, UsableLink now) {
      REPORTED.add("changed " + described(now));
    }

    private static String described(UsableLink link) {
      return link.name() + link.sources() + (link.isSpare() ? " spare" : "");
    }
  }

  private static final class Ignoring implements NetworkWatch.Listener {
    @Override
    public void networkMayHaveChanged() {}

    @Override
    public void moved(String cause, String from, String to) {}
  }
}
