package io.viaduct.service.operations;

import java.util.Map;

/// Something that an operator lets a running process do, by a POST on its private Unix socket, or
/// on its TCP port with the operator's token. Called on a virtual thread.
@FunctionalInterface
public interface OperationsAction {
  /// Acts.
  ///
  /// @param caller the caller's address, for the log
  /// @param parameters of the query, the first value of each name
  /// @return what was done; written as JSON
  /// @throws IllegalArgumentException for a wrong parameter; the message names it and the rule
  /// @throws IllegalStateException if the process cannot act now; the message says why
  Object act(String caller, Map<String, String> parameters);
}
