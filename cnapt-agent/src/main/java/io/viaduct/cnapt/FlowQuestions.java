package io.viaduct.cnapt;

import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.policy.PlaceQuestion;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.cnapt.tunnel.FlowFilter;
import io.viaduct.service.operations.OperationsAction;
import java.util.Map;

/// Answers questions about flows at the agent's Unix socket.
final class FlowQuestions {
  /// Path of the question about running flows; its parameters are those of [FlowFilter].
  static final String PATH = "/explain";

  private FlowQuestions() {}

  /// Returns the actions by their paths.
  static Map<String, OperationsAction> actions(IoEventLoop loop, DataPath data) {
    return Map.of(
        PlaceQuestion.PATH,
        (_, parameters) -> {
          PlaceQuestion asked = PlaceQuestion.of(parameters);
          return loop.submit(() -> data.place(asked.flow(), asked.application()))
              .syncUninterruptibly()
              .getNow();
        },
        PATH,
        (_, parameters) -> {
          FlowFilter filter = FlowFilter.of(parameters);
          return loop.submit(() -> data.explain(filter)).syncUninterruptibly().getNow();
        });
  }
}
