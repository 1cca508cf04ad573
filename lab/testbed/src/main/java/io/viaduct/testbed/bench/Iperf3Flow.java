package io.viaduct.testbed.bench;

import io.viaduct.testbed.process.ServiceProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Measures with iperf3. Its bytes are random, so compression has no effect.
final class Iperf3Flow implements TcpFlow {
  private static final int PORT = 7002;
  private static final JsonMapper JSON = new JsonMapper();

  private final BenchNetwork network;

  /// Starts the server, which runs as long as the laboratory.
  Iperf3Flow(BenchNetwork network, Path directory) {
    this.network = network;
    var unused =
        ServiceProcess.start(
            "iperf3",
            network.far(),
            List.of("iperf3", "--server", "--port", Integer.toString(PORT)),
            directory);
  }

  @Override
  public String tool() {
    return "iperf3, one connection";
  }

  @Override
  public Transferred run(String target, boolean upload, int seconds) {
    var words =
        new ArrayList<>(
            List.of("iperf3", "--json", "--client", target, "--port", Integer.toString(PORT)));
    words.addAll(List.of("--time", Integer.toString(seconds), "--congestion", "cubic"));
    if (!upload) {
      words.add("--reverse");
    }
    String output = network.device().run(words.toArray(String[]::new));
    JsonNode sum = JSON.readTree(output).path("end").path("sum_received");
    return new Transferred(sum.path("bytes").asLong(), sum.path("seconds").asDouble());
  }
}
