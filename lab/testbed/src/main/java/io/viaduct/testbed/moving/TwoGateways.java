package io.viaduct.testbed.moving;

import static io.viaduct.testbed.moving.TwoSnapts.ofClass;
import static io.viaduct.testbed.moving.TwoSnapts.snaptOf;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.traffic.TcpStream;
import io.viaduct.testbed.traffic.Way;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/// Figure 10 of the main paper: two gateways of 10 Mbit/s with different delay, and a SNAPT behind
/// each. A stream of the class HT_LD nearly fills the near one, and a TCP flow of the class HT_HD
/// beside it takes the other one. Prints what it sees.
public final class TwoGateways {
  /// Lines that this class prints, with a number.
  public static final String SUM = "sum to one gateway";

  public static final String FAR_BYTES = "bytes of low delay by the far SNAPT";

  static final int GATEWAY_MBIT = 10;
  private static final long SEED = 20_261_126;
  private static final double SECONDS = 8;
  private static final double WARM_SECONDS = 1; // of all programs
  private static final double AROUND_SECONDS = 6; // the stream begins before the TCP flow
  private static final String LOW = "HT_LD";
  private static final String HIGH = "HT_HD";
  private static final int HIGH_PORT = 8080; // of the web

  // 9.4 Mbit/s of the line with all headers.
  private static final int PAYLOAD_BYTES = 1_200;
  private static final int PACKETS_PER_SECOND = 900;

  // A flow that begins in the first second of the stream finds no traffic yet.
  private static final long SEEN_BYTES = 4L * PACKETS_PER_SECOND * PAYLOAD_BYTES;

  private final TwoSnapts snapts;
  private final MovingLab lab;

  private TwoGateways(TwoSnapts snapts) {
    this.snapts = snapts;
    lab = snapts.lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) ->
            measure(TwoSnapts.startApart(clone, directory, "", GATEWAY_MBIT), SECONDS));
  }

  /// @param seconds of each TCP flow, after a second of ramp-up
  static void measure(TwoSnapts snapts, double seconds) throws Exception {
    new TwoGateways(snapts).pass(seconds);
  }

  private void pass(double seconds) throws Exception {
    // To another address: the flows of a class follow each other to the same host.
    String other = lab.server.further();
    double unused = tcp(other, WARM_SECONDS);
    double alone = tcp(other, seconds);
    MovingLab.say("one gateway Mbit/s", alone);
    long before = carriedBytes();
    long endNs = System.nanoTime() + (long) ((seconds + AROUND_SECONDS) * 1e9);
    CompletableFuture<PacedStream.Result> stream =
        lab.server.stream(
            Topology.SERVER,
            PAYLOAD_BYTES,
            PACKETS_PER_SECOND,
            () -> System.nanoTime() - endNs < 0);
    MovingLab.await(() -> !snapts.flow(ofClass(LOW)).isMissingNode(), "the stream has a flow");
    tell("stream", snapts.flow(ofClass(LOW)));
    MovingLab.await(() -> carriedBytes() - before > SEEN_BYTES, "the stream has carried for 2 s");
    double tcp = tcp(Topology.SERVER, seconds);
    tell("TCP", snapts.flow(ofClass(HIGH)));
    PacedStream.Result seen = stream.get(60, TimeUnit.SECONDS);
    double streamMbit =
        seen.returned() * PAYLOAD_BYTES * 8 / 1e6 * PACKETS_PER_SECOND / seen.sent();
    MovingLab.say("stream lost", seen.lost());
    MovingLab.say("stream Mbit/s", streamMbit);
    MovingLab.say("TCP Mbit/s", tcp);
    MovingLab.say(SUM, (tcp + streamMbit) / alone);
    MovingLab.say(
        FAR_BYTES,
        snapts
            .flows()
            .filter(ofClass(LOW).and(flow -> snaptOf(flow).startsWith("snapt-2")))
            .mapToLong(
                flow -> flow.path("sentBytes").asLong() + flow.path("receivedBytes").asLong())
            .sum());
  }

  private double tcp(String to, double seconds) {
    byte[] content = new byte[1 << 20];
    new Random(SEED).nextBytes(content);
    return new TcpStream(lab.network.device, lab.network.server, System::nanoTime)
        .run(to, HIGH_PORT, Way.UP, content, seconds)
        .mbitPerSecond();
  }

  private static void tell(String what, JsonNode flow) {
    MovingLab.say(what + " by", snaptOf(flow));
    MovingLab.say("why " + what, flow.path("snaptWhy").asString(""));
  }

  private long carriedBytes() throws Exception {
    return snapts.carriedBytes("snapt-1") + snapts.carriedBytes("snapt-2");
  }
}
