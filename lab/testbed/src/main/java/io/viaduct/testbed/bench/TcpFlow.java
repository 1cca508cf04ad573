package io.viaduct.testbed.bench;

import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.traffic.TcpStream;
import io.viaduct.testbed.traffic.Way;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// One TCP connection between device and server at the highest possible rate, with random bytes. It
/// is made with iperf3, or by this process if iperf3 is not installed.
final class TcpFlow {
  private static final String PORT = "7002";
  private static final long SEED = 1;

  private final BenchNetwork network;
  private final boolean hasIperf3 = Command.exists("iperf3");

  /// Result of a transfer.
  ///
  /// @param bytes that the receiver has read
  record Transferred(long bytes, double mbitPerSecond) {
    double gbit() {
      return bytes * 8 / 1e9;
    }
  }

  /// Starts the server, which runs as long as the laboratory.
  TcpFlow(BenchNetwork network, Path directory) {
    this.network = network;
    if (hasIperf3) {
      var unused =
          ServiceProcess.start(
              "iperf3", network.far(), List.of("iperf3", "--server", "--port", PORT), directory);
    }
  }

  /// Transfers bytes.
  ///
  /// @param target the server's address
  Transferred run(String target, Way way, int seconds) {
    if (hasIperf3) {
      return iperf3(target, way, seconds);
    }
    TcpStream.Carried carried =
        new TcpStream(network.device(), network.far(), System::nanoTime)
            .run(target, way, PayloadKind.RANDOM.stream(SEED), seconds);
    return new Transferred(carried.bytes(), carried.mbitPerSecond());
  }

  private Transferred iperf3(String target, Way way, int seconds) {
    var words = new ArrayList<>(List.of("iperf3", "--json", "--client", target, "--port", PORT));
    words.addAll(List.of("--time", Integer.toString(seconds), "--congestion", "cubic"));
    if (way == Way.DOWN) {
      words.add("--reverse");
    }
    String output = network.device().run(words.toArray(String[]::new));
    JsonNode sum = JsonMapper.shared().readTree(output).path("end").path("sum_received");
    long bytes = sum.path("bytes").asLong();
    return new Transferred(bytes, bytes * 8 / sum.path("seconds").asDouble() / 1e6);
  }
}
