package io.viaduct.cnapt;

import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.cnapt.tunnel.FlowFilter;
import io.viaduct.service.operations.OperationsAction;
import java.util.Map;

/// Answers questions about running flows at the agent's Unix socket.
final class FlowQuestions {
  /// Path of the action; its parameters are those of [FlowFilter].
  static final String PATH = "/explain";

  private FlowQuestions() {}

  /// Returns the action by its path.
  static Map<String, OperationsAction> actions(IoEventLoop loop, DataPath data) {
    return Map.of(
        PATH,
        (_, parameters) -> {
          FlowFilter filter = FlowFilter.of(parameters);
          return loop.submit(() -> data.explain(filter)).syncUninterruptibly().getNow();
        });
  }
}
