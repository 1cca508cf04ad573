package io.viaduct.testbed.moving;

import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/// A laboratory with two SNAPTs, whose device has a session with each of them or with one at a
/// time, and what the agent says of them.
final class TwoSnapts {
  /// Line of an agent's configuration.
  static final String SESSIONS = "snapts: {sessions: 2}\n";

  private static final int PACKETS_PER_SECOND = 50; // of a call

  final MovingLab lab;
  private final int sessions;

  private TwoSnapts(MovingLab lab) {
    this(lab, 2);
  }

  private TwoSnapts(MovingLab lab, int sessions) {
    this.lab = lab;
    this.sessions = sessions;
  }

  /// Starts both SNAPTs, which each gateway leads to, and waits until both carry.
  ///
  /// @param agentLines added to the agent's configuration
  /// @param snaptLines added to that of each SNAPT
  static TwoSnapts start(Path clone, Path directory, String agentLines, String snaptLines)
      throws Exception {
    return begin(
        new MovingLab(clone, directory, NetworkPlan.STANDARD, SESSIONS + agentLines, snaptLines)
            .withSnapts(2));
  }

  /// Starts both SNAPTs as members of one group.
  static TwoSnapts startGroup(Path clone, Path directory) throws Exception {
    return begin(new MovingLab(clone, directory, NetworkPlan.STANDARD, SESSIONS, "").withGroup(2));
  }

  private static TwoSnapts begin(MovingLab lab) throws Exception {
    TwoSnapts made = new TwoSnapts(lab);
    made.begin();
    return made;
  }

  /// Starts both SNAPTs in a network that may have hosts for more.
  static TwoSnapts start(Path clone, Path directory, String agentLines, NetworkPlan plan)
      throws Exception {
    TwoSnapts made = lay(clone, directory, agentLines, plan);
    made.begin();
    return made;
  }

  /// Starts both SNAPTs as in figure 10 of the main paper: each is behind a gateway of its own,
  /// with round trips of 20 and 60 ms.
  ///
  /// ```
  ///   device ── linkA ── gateway A ── snapt-1
  ///      └───── linkB ── gateway B ── snapt-2
  /// ```
  ///
  /// @param mbitPerSecond rate of each link and direction
  static TwoSnapts startApart(Path clone, Path directory, String agentLines, int mbitPerSecond)
      throws Exception {
    return startApart(lay(clone, directory, agentLines, NetworkPlan.CHANGEABLE), mbitPerSecond);
  }

  /// Starts both SNAPTs likewise, for a device with one session, as it has by default.
  static TwoSnapts startApartForOne(
      Path clone, Path directory, String agentLines, int mbitPerSecond) throws Exception {
    MovingLab lab =
        new MovingLab(clone, directory, NetworkPlan.CHANGEABLE, agentLines, "").withSnapts(2);
    return startApart(new TwoSnapts(lab, 1), mbitPerSecond);
  }

  private static TwoSnapts startApart(TwoSnapts made, int mbitPerSecond) throws Exception {
    Topology network = made.lab.network;
    String rate = "rate=%dmbit".formatted(mbitPerSecond);
    network.weather("A", "delay=10ms", rate, "queue=100p");
    network.weather("B", "delay=30ms", rate, "queue=100p");
    network.gateway("A").ip("route replace unreachable " + Topology.SNAPT_2);
    network.gateway("B").ip("route replace unreachable " + Topology.SNAPT_1);
    made.begin();
    return made;
  }

  private static TwoSnapts lay(Path clone, Path directory, String agentLines, NetworkPlan plan)
      throws Exception {
    return new TwoSnapts(
        new MovingLab(clone, directory, plan, SESSIONS + agentLines, "").withSnapts(2));
  }

  private void begin() throws Exception {
    lab.start();
    awaitAll("as many SNAPTs carry as the device has sessions");
  }

  /// Waits until as many SNAPTs carry as the device has sessions, and no other is in use.
  void awaitAll(String what) throws Exception {
    String all = String.join(" ", Collections.nCopies(sessions, "carrying"));
    MovingLab.await(() -> states().equals(all), what);
  }

  /// Waits until this SNAPT carries, and the other one too if the device has two sessions.
  void awaitBack(String id, String what) throws Exception {
    if (sessions > 1) {
      awaitAll(what);
    } else {
      MovingLab.await(() -> snapt(id).path("state").asString("").equals("carrying"), what);
    }
  }

  /// Waits until both SNAPTs carry.
  void awaitBoth(String what) throws Exception {
    awaitAll(what);
  }

  /// Returns the states of the SNAPTs in use, in the order of the lines.
  String states() throws Exception {
    return lab.agent
        .status()
        .path("snapts")
        .valueStream()
        .map(each -> each.path("state").asString(""))
        .collect(Collectors.joining(" "));
  }

  /// Returns what the agent says of a SNAPT in use; a missing node if it does not use it.
  JsonNode snapt(String id) throws Exception {
    JsonNode snapts = lab.agent.status().path("snapts");
    return snapts
        .valueStream()
        .filter(each -> each.path("snapt").asString("").startsWith(id))
        .findFirst()
        .orElse(snapts.path("none"));
  }

  /// Returns the inner bytes of a SNAPT's session.
  long carriedBytes(String id) throws Exception {
    return snapt(id).path("carriedBytes").asLong(0);
  }

  /// Returns the open flows to the server.
  Stream<JsonNode> flows() throws Exception {
    return lab.agent
        .status()
        .path("data")
        .path("flows")
        .valueStream()
        .filter(flow -> flow.path("remote").asString("").startsWith(Topology.SERVER + ":"));
  }

  /// Returns the first flow to the server that has a property; a missing node without one.
  JsonNode flow(Predicate<JsonNode> property) throws Exception {
    return flows().filter(property).findFirst().orElse(lab.agent.status().path("none"));
  }

  /// Returns true if a flow has this class.
  static Predicate<JsonNode> ofClass(String serviceClass) {
    return flow -> flow.path("serviceClass").asString("").equals(serviceClass);
  }

  /// Returns the SNAPT of a flow, empty if there is no flow.
  static String snaptOf(JsonNode flow) {
    return flow.path("snapt").asString("");
  }

  /// Begins a call of the class HT_LD, packets of voice to the server and back.
  CompletableFuture<PacedStream.Result> call(BooleanSupplier going) {
    return lab.server.stream(Topology.SERVER, PacedStream.VOICE_BYTES, PACKETS_PER_SECOND, going);
  }
}
