package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.TcpStream;
import io.viaduct.testbed.traffic.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Two agents beside each other on a device, one with a single session and one with two. Prints
/// what one TCP flow gets through each, in turn, so that both programs are warm.
public final class SecondSession {
  /// Line that this class prints, with a number.
  public static final String RATIO = "throughput to that of a single session";

  private static final int TURNS = 5;
  private static final double SECONDS = 3;
  private static final long SEED = 20_261_126;
  private static final String AGENT = "cnapt-2"; // the one with two sessions

  private final MovingLab lab;
  private final byte[] content = new byte[1 << 20];

  private SecondSession(MovingLab lab) {
    this.lab = lab;
    new Random(SEED).nextBytes(content);
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          MovingLab lab =
              new MovingLab(clone, directory, NetworkPlan.STANDARD, "", "").withSnapts(2);
          lab.start();
          String server = lab.startSecondAgent(TwoSnapts.SESSIONS);
          MovingLab.await(() -> lab.agent(AGENT).carrying() == 2, "both SNAPTs carry");
          new SecondSession(lab).pass(server);
        });
  }

  /// @param server address whose packets the agent with two sessions carries
  private void pass(String server) {
    List<Double> single = new ArrayList<>();
    List<Double> two = new ArrayList<>();
    for (int turn = 0; turn <= TURNS; turn++) {
      double throughOne = mbit(Topology.SERVER);
      double throughTwo = mbit(server);
      if (turn > 0) { // the first turn warms the programs
        single.add(throughOne);
        two.add(throughTwo);
      }
    }
    MovingLab.say("single session, each turn, Mbit/s", single);
    MovingLab.say("two sessions, each turn, Mbit/s", two);
    double ratio =
        Median.of(two.stream().mapToDouble(rate -> rate))
            / Median.of(single.stream().mapToDouble(rate -> rate));
    MovingLab.say(RATIO, ratio);
  }

  private double mbit(String to) {
    return new TcpStream(lab.network.device, lab.network.server, System::nanoTime)
        .run(to, Way.DOWN, content, SECONDS)
        .mbitPerSecond();
  }
}
