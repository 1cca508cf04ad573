package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/// The first process of the laboratory of [SnaptDiesLabIT]; prints what it sees. Two SNAPTs, and a
/// connection with traffic. Its SNAPT is killed and comes back, and then it stays away.
public final class SnaptDiesDay {
  private static final int SSH_PORT = 22; // of a class of low delay
  private static final long NEW_FLOW_NS = 20_000_000;
  private static final long PATIENCE_NS = 50_000_000_000L;

  private final MovingLab lab;

  private SnaptDiesDay(MovingLab lab) {
    this.lab = lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          String agent = "snapts: {sessions: 2}\ncontrol: {snapt-patience: 20s}\n";
          new SnaptDiesDay(new MovingLab(clone, directory, NetworkPlan.CHANGEABLE, agent, ""))
              .pass();
        });
  }

  private void pass() throws Exception {
    lab.network.weather("A", "delay=10ms", "rate=20mbit", "queue=100p");
    lab.network.weather("B", "delay=30ms", "rate=20mbit", "queue=100p");
    lab.network.gateway("A").ip("route replace unreachable " + Topology.SNAPT_2);
    lab.network.gateway("B").ip("route replace unreachable " + Topology.SNAPT_1);
    lab.withSecondSnapt();
    lab.start();
    MovingLab.await(() -> states().equals("carrying carrying"), "both SNAPTs carry");
    var to = new InetSocketAddress(Topology.SERVER, MovingLab.STREAM_PORT);
    try (Socket held = connection()) {
      AtomicBoolean going = new AtomicBoolean(true);
      AtomicLong exchanged = new AtomicLong();
      CompletableFuture<Boolean> traffic =
          CompletableFuture.supplyAsync(() -> exchange(held, going, exchanged));
      MovingLab.await(() -> exchanged.get() > 50, "the connection has traffic");
      String victim = snapt();
      long killedNs = System.nanoTime();
      lab.deployment.process(victim).kill();
      MovingLab.say("new flow served after ms", served(to, killedNs));
      MovingLab.await(() -> states().equals("carrying carrying"), "the killed SNAPT is back");
      MovingLab.say("refused meanwhile", lab.status().path("data").path("refused").size());
      long before = exchanged.get();
      MovingLab.await(() -> exchanged.get() > before + 10, "the connection goes on");
      going.set(false);
      MovingLab.say("held connection answers", traffic.get(60, TimeUnit.SECONDS));
      long stoppedNs = System.nanoTime();
      lab.deployment.stop(victim);
      MovingLab.say("held connection ends by", failure(held));
      MovingLab.say("told after ms", (System.nanoTime() - stoppedNs) / 1_000_000);
      MovingLab.say("refused", lab.status().path("data").path("refused").toString());
    }
  }

  private static boolean exchange(Socket by, AtomicBoolean going, AtomicLong exchanged) {
    try {
      while (going.get()) {
        if (!exchanges(by)) {
          return false;
        }
        exchanged.incrementAndGet();
        LockSupport.parkNanos(NEW_FLOW_NS);
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns a connection to a host that returns what it gets.
  private Socket connection() throws Exception {
    CountDownLatch listening = new CountDownLatch(1);
    var unused =
        lab.network.server.start(
            "echo",
            () -> {
              try (ServerSocket server =
                  new ServerSocket(SSH_PORT, 1, InetAddress.ofLiteral(Topology.SERVER))) {
                listening.countDown();
                Socket accepted = server.accept();
                accepted.getInputStream().transferTo(accepted.getOutputStream());
              }
              return true;
            });
    listening.await();
    Socket held =
        lab.network.device.call(() -> new Socket(InetAddress.ofLiteral(Topology.SERVER), SSH_PORT));
    held.setSoTimeout((int) (PATIENCE_NS / 1_000_000));
    exchanges(held);
    return held;
  }

  private static boolean exchanges(Socket by) throws IOException {
    by.getOutputStream().write(7);
    return by.getInputStream().read() == 7;
  }

  /// Returns how a connection ends that only waits.
  private static String failure(Socket of) {
    try {
      return "an answer: " + of.getInputStream().read();
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  /// Begins a flow every 20 ms, until one of them is answered.
  ///
  /// @return time of the first answer since the moment, in ms
  private long served(InetSocketAddress to, long sinceNs) throws Exception {
    return lab.network.device.call(() -> {
      List<DatagramChannel> flows = new ArrayList<>();
      try {
        while (System.nanoTime() - sinceNs < PATIENCE_NS) {
          DatagramChannel begun = DatagramChannel.open();
          flows.add(begun);
          begun.configureBlocking(false);
          begun.connect(to);
          begun.write(ByteBuffer.allocate(PacedStream.VOICE_BYTES));
          LockSupport.parkNanos(NEW_FLOW_NS);
          for (DatagramChannel each : flows) {
            if (each.read(ByteBuffer.allocate(PacedStream.VOICE_BYTES)) > 0) {
              return (System.nanoTime() - sinceNs) / 1_000_000;
            }
          }
        }
        throw new IllegalStateException("no new flow was answered for 50 s");
      } finally {
        for (DatagramChannel each : flows) {
          each.close();
        }
      }
    });
  }

  private String states() throws Exception {
    return lab.status()
        .path("snapts")
        .valueStream()
        .map(each -> each.path("state").asString(""))
        .collect(Collectors.joining(" "));
  }

  /// Returns the SNAPT of the held connection.
  private String snapt() throws Exception {
    return lab.status()
        .path("data")
        .path("flows")
        .valueStream()
        .filter(flow -> flow.path("remote").asString("").equals(Topology.SERVER + ":" + SSH_PORT))
        .map(flow -> flow.path("snapt").asString("").split(" ")[0])
        .findFirst()
        .orElseThrow();
  }
}
