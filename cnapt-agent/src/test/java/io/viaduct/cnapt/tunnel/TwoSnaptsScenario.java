package io.viaduct.cnapt.tunnel;

import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.cnapt.classification.AddressRanges;
import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.policy.Unmet;
import io.viaduct.cnapt.snapts.SnaptChoice;
import io.viaduct.cnapt.snapts.SnaptsSettings;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunSettings;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelSettings;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/// Runs inside the namespace of [TwoSnaptsLabIT]: sockets, the kernel, a real TUN, the data path
/// with two ends, and a [MirrorSnapt] behind each, of which the first one is 30 ms further away.
/// Prints which SNAPT the flows have.
public final class TwoSnaptsScenario {
  private static final String TUN = "viaduct9";
  private static final int ATTEMPTS_MAX = 100;
  private static final int ECHO_MS_MAX = 200;
  private static final long FURTHER_NS = 30_000_000;

  private final IoEventLoop loop;
  private final DataPath data;

  private TwoSnaptsScenario(IoEventLoop loop, DataPath data) {
    this.loop = loop;
    this.data = data;
  }

  public static void main(String[] arguments) throws Exception {
    shell("ip link set lo up; sysctl -qw net.ipv6.conf.default.disable_ipv6=1");
    var loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    IoEventLoop loop = loops.next();
    TunnelSettings settings = TunnelSettings.defaults();
    MobilitySettings mobility =
        new MobilitySettings(
            Duration.ofMillis(300), Duration.ofSeconds(10), Duration.ofMillis(20), 4);
    Classifier classifier = Applications.classifier(Optional.empty());
    try (TunDevice tun = TunDevice.open(new TunSettings(TUN, 1));
        OwnerLookup owners = new OwnerLookup();
        MirrorSnapt far = new MirrorSnapt(settings);
        MirrorSnapt near = new MirrorSnapt(settings)) {
      far.delay(FURTHER_NS);
      shell(
          "ip addr add 100.96.0.2/32 dev viaduct9; ip link set viaduct9 up mtu "
              + new TunnelLimits(1500, settings.historyBytes()).tunMtu()
              + "; ip route add 198.18.0.0/24 dev viaduct9 src 100.96.0.2");
      LocalEnd local =
          new LocalEnd(
              new AddressRanges(List.of(AddressPrefix.of("100.96.0.2"))),
              0,
              new EndRole.Dialling(mobility, null, () -> true),
              Admission.ALL);
      FlowRules rules =
          new FlowRules(
              classifier,
              owners,
              Policy.of(List.of(), classifier),
              new SnaptChoice(new SnaptsSettings(2, 0, Unmet.BEST_EFFORT, "")));
      DataPath data =
          new DataPath(
              loop,
              System::nanoTime,
              tun.queues().getFirst(),
              local,
              rules,
              List.of(new SilentListener(), new SilentListener()));
      new TwoSnaptsScenario(loop, data).pass(far, near);
      data.close();
    }
    System.exit(0);
  }

  private void pass(MirrorSnapt far, MirrorSnapt near) throws Exception {
    loop.submit(() -> data.ends().getFirst().install(far.parameters())).sync();
    try (DatagramSocket early = new DatagramSocket();
        DatagramSocket later = new DatagramSocket();
        DatagramSocket last = new DatagramSocket()) {
      System.out.println("with one session: " + echo(early, 1) + " by " + placed(1, far));
      loop.submit(() -> data.ends().getLast().install(near.parameters())).sync();
      await(() -> measured() == 2);
      System.out.println("same flow: " + echo(early, 1) + " by " + placed(1, far));
      System.out.println("same UDP port: " + echo(early, 2) + " by " + placed(2, far));
      System.out.println("same host: " + echo(later, 1) + " by " + placed(1, far));
      System.out.println(
          "new host: "
              + echo(later, 3)
              + ", "
              + why(3).replace("" + later.getLocalPort(), "LATER"));
      try (DatagramSocket free = new DatagramSocket()) {
        System.out.println("free: " + echo(free, 4) + " by " + placed(4, near) + ", " + why(4));
        near.close();
        await(() -> {
          echoOnce(free, 4); // traffic makes the silence known
          return states().contains("silent");
        });
      }
      System.out.println("after a death: " + echo(last, 5) + " by " + placed(5, far));
      System.out.println("states: " + states());
      System.out.println(
          "followed %d, chosen %d, best effort %d"
              .formatted(
                  data.counters().placed(Placement.FOLLOWED),
                  data.counters().placed(Placement.CHOSEN),
                  data.counters().placed(Placement.BEST_EFFORT)));
    }
  }

  private DataStatus status() throws Exception {
    return loop.submit(data::status).get();
  }

  private long measured() throws Exception {
    return status().snapts().stream().filter(each -> each.roundTripMs() != null).count();
  }

  private List<String> states() throws Exception {
    return status().snapts().stream().map(DataStatus.SnaptStatus::state).toList();
  }

  /// Returns whether all flows to a host have this SNAPT.
  private String placed(int host, MirrorSnapt at) throws Exception {
    String name = at.parameters().snapt();
    List<String> snapts =
        status().flows().stream()
            .filter(flow -> flow.remote().equals(remote(host)))
            .map(DataStatus.FlowStatus::snapt)
            .distinct()
            .toList();
    return snapts.equals(List.of(name)) ? "the expected one" : "others: " + status().flows();
  }

  private String why(int host) throws Exception {
    return status().flows().stream()
        .filter(flow -> flow.remote().equals(remote(host)))
        .map(DataStatus.FlowStatus::snaptWhy)
        .findFirst()
        .orElse("no flow");
  }

  private static String remote(int host) {
    return "198.18.0.%d:7777".formatted(host);
  }

  private static int echo(DatagramSocket program, int host) throws IOException {
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
      if (echoOnce(program, host)) {
        return 1;
      }
    }
    return 0;
  }

  private static boolean echoOnce(DatagramSocket program, int host) throws IOException {
    InetSocketAddress to = new InetSocketAddress("198.18.0." + host, 7777);
    program.setSoTimeout(ECHO_MS_MAX);
    program.send(new DatagramPacket(new byte[40], 40, to));
    try {
      DatagramPacket answer = new DatagramPacket(new byte[2000], 2000);
      program.receive(answer);
      return answer.getSocketAddress().equals(to);
    } catch (SocketTimeoutException _) {
      return false; // UDP may lose the packet, so it is sent again
    }
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    for (int i = 0; i < ATTEMPTS_MAX && !condition.call(); i++) {
      Thread.sleep(ECHO_MS_MAX); // the measurement has no event to wait for
    }
  }

  private static void shell(String command) throws Exception {
    int code = new ProcessBuilder("sh", "-e", "-c", command).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException(command + ": exit code " + code);
    }
  }
}
