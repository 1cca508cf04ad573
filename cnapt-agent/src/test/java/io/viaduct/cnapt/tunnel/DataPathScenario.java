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
import io.viaduct.cnapt.tunnel.Carried.Direction;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunSettings;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.ServiceClass;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Runs inside the namespace of [DataPathLabIT]: a socket, the kernel, a real TUN, the data path,
/// and a [MirrorSnapt] at the other end. Prints the results of the packets.
public final class DataPathScenario {
  private static final String TUN = "viaduct8";
  private static final InetSocketAddress REMOTE = new InetSocketAddress("198.18.0.9", 7777);
  private static final int ATTEMPTS_MAX = 50;
  private static final int ECHO_MS_MAX = 200;

  private DataPathScenario() {}

  public static void main(String[] arguments) throws Exception {
    shell("ip link set lo up");
    // The process name of this program is java. Its flows get another class when /proc shows that
    // name.
    Path table = Files.createTempFile("applications", ".yml");
    Files.writeString(table, "rules: [{application: ssh, process: [java]}]\n");
    var loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    IoEventLoop loop = loops.next();
    TunnelSettings settings = TunnelSettings.defaults();
    MobilitySettings mobility =
        new MobilitySettings(
            Duration.ofMillis(300), Duration.ofSeconds(10), Duration.ofMillis(20), 4);
    try (TunDevice tun = TunDevice.open(new TunSettings(TUN, 1));
        OwnerLookup owners = new OwnerLookup();
        MirrorSnapt first = new MirrorSnapt(settings);
        MirrorSnapt second = new MirrorSnapt(settings);
        DatagramSocket program = new DatagramSocket()) {
      shell(
          "ip addr add 100.96.0.2/32 dev viaduct8; ip link set viaduct8 up mtu "
              + new TunnelLimits(1500, settings.historyBytes()).tunMtu()
              + "; ip route add 198.18.0.0/24 dev viaduct8 src 100.96.0.2"
              + "; ip addr add 192.0.2.7/32 dev lo");
      LocalEnd local =
          new LocalEnd(
              new AddressRanges(List.of(AddressPrefix.of("100.96.0.2"))),
              0,
              new EndRole.Dialling(mobility, null, () -> false),
              Admission.ALL);
      Classifier classifier = Applications.classifier(Optional.of(table));
      FlowRules rules =
          new FlowRules(
              classifier,
              owners,
              Policy.of(List.of(), classifier),
              new SnaptChoice(new SnaptsSettings(1, 0, Unmet.BEST_EFFORT, "")));
      DataPath data =
          new DataPath(
              loop,
              System::nanoTime,
              tun.queues().getFirst(),
              local,
              rules,
              List.of(new SilentListener()));
      loop.submit(() -> data.first().install(first.parameters())).sync();
      System.out.println("echo: " + echoes(program, "one", 1));
      System.out.println("flow: " + classified(loop, data));
      System.out.println("echoes: " + echoes(program, "x".repeat(1000), 50));
      System.out.println("class at the SNAPT: " + first.serviceClass);
      System.out.println("carried from a foreign address: " + ofForeign(data));
      loop.submit(() -> data.first().install(second.parameters())).sync();
      System.out.println("same socket, new session: " + echoes(program, "two", 1));
      System.out.println("inner bytes at least 51 kB: " + (innerBytes(data) >= 51_000));
      System.out.println(
          "not written %d, refusals %d, pauses %d"
              .formatted(
                  data.counters().notWritten(),
                  data.counters().refusals(),
                  data.counters().pauses()));
      data.close();
      System.out.println("told of the flow at the end: " + second.told.await(5, TimeUnit.SECONDS));
    }
    System.exit(0);
  }

  /// Sends what the kernel sends of itself when a connection of a lost link is reset: a packet with
  /// another source address.
  private static long ofForeign(DataPath data) throws Exception {
    long before = innerBytes(data);
    try (var elsewhere = new DatagramSocket(new InetSocketAddress("192.0.2.7", 0))) {
      for (int i = 0; i < ATTEMPTS_MAX && data.counters().foreign() == 0; i++) {
        elsewhere.send(new DatagramPacket(new byte[12], 12, REMOTE));
        Thread.sleep(1); // the counter has no event to wait for
      }
    }
    return data.counters().foreign() > 0 ? innerBytes(data) - before : -1;
  }

  private static long innerBytes(DataPath data) {
    long inner = 0;
    for (ServiceClass each : ServiceClass.values()) {
      inner += data.carried().preBytes(Direction.SENT, each);
    }
    return inner;
  }

  private static int echoes(DatagramSocket program, String text, int wanted) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    program.setSoTimeout(ECHO_MS_MAX);
    int echoed = 0;
    for (int i = 0; i < ATTEMPTS_MAX + wanted && echoed < wanted; i++) {
      program.send(new DatagramPacket(bytes, bytes.length, REMOTE));
      DatagramPacket answer = new DatagramPacket(new byte[2000], 2000);
      try {
        program.receive(answer);
        boolean same =
            new String(answer.getData(), 0, answer.getLength(), StandardCharsets.UTF_8)
                .equals(text);
        echoed += same && answer.getSocketAddress().equals(REMOTE) ? 1 : 0;
      } catch (SocketTimeoutException e) {
        continue; // UDP may lose the packet, so it is sent again
      }
    }
    return echoed;
  }

  private static String classified(IoEventLoop loop, DataPath data) throws Exception {
    String seen = "none";
    for (int i = 0; i < ATTEMPTS_MAX && !seen.contains("java"); i++) {
      seen =
          loop.submit(data::status).get().flows().stream()
              .filter(flow -> flow.remote().equals("198.18.0.9:7777"))
              .map(flow -> flow.process() + " " + flow.application() + " " + flow.serviceClass())
              .findFirst()
              .orElse("none");
      Thread.sleep(ECHO_MS_MAX); // the search of /proc has no event to wait for
    }
    return seen + ", reclassified " + data.counters().reclassified();
  }

  private static void shell(String command) throws Exception {
    int code = new ProcessBuilder("sh", "-e", "-c", command).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException(command + ": exit code " + code);
    }
  }
}
