package io.viaduct.testbed.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;

/// Result of the flows of one class in one run.
///
/// @param delays in nanoseconds, of the packets that arrived
record ClassResult(long sent, Histogram delays, List<FlowSeconds> flows) {
  /// A flow that runs.
  record Running(FlowSeconds seconds, CompletableFuture<PacketFlow.Result> result) {}

  /// Waits for the flows of a class.
  static ClassResult join(List<Running> flows) {
    long sent = 0;
    var delays = new Histogram(3);
    var seconds = new ArrayList<FlowSeconds>();
    for (Running each : flows) {
      PacketFlow.Result result = each.result().join();
      sent += result.sent();
      delays.add(result.delays());
      seconds.add(each.seconds());
    }
    return new ClassResult(sent, delays, seconds);
  }

  long received() {
    return delays.getTotalCount();
  }
}
