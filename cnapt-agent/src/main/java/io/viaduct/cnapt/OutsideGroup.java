package io.viaduct.cnapt;

import io.viaduct.cnapt.egress.OutsideProcesses;
import io.viaduct.service.operations.OperationsAction;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The request of `cnapt outside` for the control group whose processes stay outside the tunnel.
final class OutsideGroup {
  /// Path of the request, at the agent's Unix socket.
  static final String PATH = "/outside";

  /// Member of the answer with the group's directory.
  static final String DIRECTORY = "directory";

  private OutsideGroup() {}

  /// Returns the actions of an agent, with this request.
  ///
  /// @param processes null if the agent sets no rules
  static Map<String, OperationsAction> with(
      Map<String, OperationsAction> actions, @Nullable OutsideProcesses processes) {
    Map<String, OperationsAction> all = new HashMap<>(actions);
    all.put(
        PATH,
        (_, _) -> {
          if (processes == null) {
            throw new IllegalStateException(
                "this agent sets no rules that could keep processes outside: routing.enabled is"
                    + " false, or the tunnel leads to a peer");
          }
          try {
            return Map.of(DIRECTORY, processes.open().toString());
          } catch (IOException e) {
            throw new IllegalStateException(e.getMessage(), e);
          }
        });
    return all;
  }
}
