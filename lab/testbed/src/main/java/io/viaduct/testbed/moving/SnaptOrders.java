package io.viaduct.testbed.moving;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/// Orders to running SNAPTs, and what becomes of them.
final class SnaptOrders {
  private static final String MOVED = "viaduct_group_moves_total{outcome=\"moved\"}";

  private final Deployment deployment;
  private final String bridgeToken;

  /// @param bridgeToken bearer token of the bridge's REST interface
  SnaptOrders(Deployment deployment, String bridgeToken) {
    this.deployment = deployment;
    this.bridgeToken = bridgeToken;
  }

  /// Lets the bridge order a SNAPT to drain or to serve, as the operators' page does.
  ///
  /// @return the status of the bridge's answer
  int byBridge(String snapt, String verb) throws Exception {
    URI uri =
        URI.create(
            "http://%s:%d/api/v1/snapts/%s/%s"
                .formatted(Topology.CONTROL, Plans.BRIDGE_REST_PORT, snapt, verb));
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(uri)
                  .header("Authorization", "Bearer " + bridgeToken)
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString("{\"by\":\"olivia\"}"))
                  .build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    }
  }

  /// Runs a command of a SNAPT, as an operator on its machine does.
  ///
  /// @return what it printed
  String byCommand(String snapt, String... words) {
    return deployment.order(snapt, words);
  }

  /// Drains a SNAPT of a group, and waits until it has no session any more.
  void drainAway(String snapt) throws Exception {
    MovingLab.say("drain " + snapt, byCommand(snapt, "drain", "--deadline", "1"));
    MovingLab.await(() -> sessions(snapt) == 0, snapt + " has no session any more");
  }

  /// Returns the sessions that the running process of a SNAPT has handed over.
  long moved(String snapt) throws IOException {
    return deployment.metric(snapt, MOVED);
  }

  /// Returns the number of sessions of a SNAPT.
  int sessions(String snapt) throws IOException {
    return StatusSocket.read(deployment.plans().socket(snapt)).path("sessions").size();
  }
}
