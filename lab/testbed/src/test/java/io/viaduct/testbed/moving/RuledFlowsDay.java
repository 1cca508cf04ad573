package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.TextDownload;
import io.viaduct.testbed.traffic.TextServer;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// The first process of the laboratory of [RuledFlowsLabIT]; prints what it sees. For each of three
/// methods one TCP download and one UDP flow that only receives; all begin on link A, which then
/// goes down and comes back.
public final class RuledFlowsDay {
  static final List<String> METHODS = List.of("cost", "own linkA", "lowest-delay");
  private static final int FIRST_PORT = 8_101;
  private static final long SEED = 20_261_128;
  private static final long BIT_PER_SECOND = 1_000_000;
  private static final long MOST_BYTES = 100_000_000; // more than the laboratory lasts
  private static final int DATAGRAM_BYTES = 200;
  private static final long PACE_NS = 20_000_000;

  /// Bytes that show that a flow goes on: more than what was under way.
  private static final long GOES_ON_BYTES = 50_000;

  private static final NetworkPlan PLAN = new NetworkPlan(1, NetworkPlan.CHANGEABLE.links(), SEED);

  /// A flow towards the device.
  private record Flow(String name, LongSupplier received) {
    boolean isBound() {
      return name.startsWith("own");
    }
  }

  private final MovingLab lab;
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final List<Flow> flows = new ArrayList<>();
  private final List<TextDownload> downloads = new ArrayList<>();

  private RuledFlowsDay(MovingLab lab) {
    this.lab = lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          new RuledFlowsDay(new MovingLab(clone, directory, PLAN, lines(), "")).pass();
        });
  }

  private static String lines() {
    List<String> rules = new ArrayList<>();
    for (String protocol : List.of("tcp", "udp")) {
      for (int i = 0; i < METHODS.size(); i++) {
        rules.add(
            "{protocol: %s, ports: [%d], method: %s}"
                .formatted(protocol, FIRST_PORT + i, METHODS.get(i)));
      }
    }
    return """
    links: [{name: linkA, cost: 1}, {name: linkB, cost: 2}]
    policy: [%s]
    """
        .formatted(String.join(", ", rules));
  }

  private void pass() throws Exception {
    lab.network.weather("A", "delay=5ms");
    lab.network.weather("B", "delay=15ms");
    lab.start();
    lab.agent.awaitUsed("linkA", "linkB");
    for (int i = 0; i < METHODS.size(); i++) {
      download(METHODS.get(i) + " tcp", FIRST_PORT + i);
      datagrams(METHODS.get(i) + " udp", FIRST_PORT + i);
    }
    goOn("begins", flows);
    lab.network.loseLink("A");
    long lostNs = System.nanoTime();
    List<Flow> free = flows.stream().filter(each -> !each.isBound()).toList();
    goOn("goes on by link B", free);
    MovingLab.say("ms until all go on by link B", (System.nanoTime() - lostNs) / 1_000_000);
    List<Flow> bound = flows.stream().filter(Flow::isBound).toList();
    long[] before = bound.stream().mapToLong(each -> each.received().getAsLong()).toArray();
    goOn("still goes on by link B", free);
    for (int i = 0; i < before.length; i++) {
      Flow each = bound.get(i);
      MovingLab.say(
          each.name() + " bytes without its link", each.received().getAsLong() - before[i]);
    }
    lab.network.restoreLink("A");
    lab.agent.awaitUsed("linkA", "linkB");
    goOn("goes on with link A", flows);
    isOver.set(true);
    downloads.forEach(TextDownload::stop);
  }

  private void goOn(String what, List<Flow> all) throws Exception {
    long begunNs = System.nanoTime();
    long[] before = all.stream().mapToLong(each -> each.received().getAsLong()).toArray();
    for (int i = 0; i < before.length; i++) {
      Flow each = all.get(i);
      long wanted = before[i] + GOES_ON_BYTES;
      MovingLab.await(() -> each.received().getAsLong() >= wanted, each.name() + " " + what);
      MovingLab.say(each.name() + " " + what + ", ms", (System.nanoTime() - begunNs) / 1_000_000);
    }
  }

  private void download(String name, int port) {
    lab.network.server.call(() -> {
      TextServer.start(Topology.SERVER, port, System::nanoTime);
      return true;
    });
    var download = new TextDownload();
    String path = "/text?seed=%d&bytes=%d&rate=%d".formatted(SEED, MOST_BYTES, BIT_PER_SECOND);
    var unused = lab.network.device.start(name, () -> download.run(Topology.SERVER, port, path));
    downloads.add(download);
    flows.add(new Flow(name, download::received));
  }

  /// Begins a UDP flow with one datagram of the device, which the server answers with many.
  private void datagrams(String name, int port) {
    var at = new InetSocketAddress(Topology.SERVER, port);
    DatagramSocket server = lab.network.server.call(() -> new DatagramSocket(at));
    DatagramSocket device = lab.network.device.call(() -> new DatagramSocket());
    var received = new AtomicLong();
    var sending = lab.network.server.start(name, () -> send(server));
    var receiving = lab.network.device.start(name, () -> receive(device, at, received));
    flows.add(new Flow(name, received::get));
  }

  private Void send(DatagramSocket socket) throws Exception {
    var packet = new DatagramPacket(new byte[DATAGRAM_BYTES], DATAGRAM_BYTES);
    socket.receive(packet);
    packet.setLength(DATAGRAM_BYTES);
    while (!isOver.get()) {
      for (int i = 0; i < 10; i++) {
        socket.send(packet);
      }
      LockSupport.parkNanos(PACE_NS);
    }
    return null;
  }

  private Void receive(DatagramSocket socket, InetSocketAddress from, AtomicLong received)
      throws Exception {
    var packet = new DatagramPacket(new byte[DATAGRAM_BYTES], DATAGRAM_BYTES, from);
    socket.send(packet);
    while (!isOver.get()) {
      socket.receive(packet);
      received.addAndGet(packet.getLength());
    }
    return null;
  }
}
