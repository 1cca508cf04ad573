package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.FlowEnd;
import java.util.Map;

/// The flows that a person means: those to a remote end, and perhaps of one local port.
///
/// @param remote its port is 0 for any port
/// @param localPort 0 for any port
public record FlowFilter(FlowEnd remote, int localPort) {
  private static final int PORT_MAX = 65_535;

  /// Reads the parameters `remote` and `local` of a request.
  ///
  /// @throws IllegalArgumentException naming the parameter and its form
  public static FlowFilter of(Map<String, String> parameters) {
    return of(parameters.getOrDefault("remote", ""), parameters.getOrDefault("local", ""));
  }

  /// Parses the words of a person.
  ///
  /// @param remote address, with a port or without
  /// @param local port; empty for any
  /// @throws IllegalArgumentException naming the word and its form
  public static FlowFilter of(String remote, String local) {
    int port = local.matches("\\d{1,5}") ? Integer.parseInt(local) : -1;
    if (!local.isEmpty() && (port < 1 || port > PORT_MAX)) {
      throw new IllegalArgumentException(
          "the local port must be a number from 1 to 65535, got '" + local + "'");
    }
    return new FlowFilter(FlowEnd.ofPerson(remote), Math.max(0, port));
  }

  boolean holds(DataStatus.FlowStatus flow) {
    return holds(flow.remote(), flow.localPort());
  }

  boolean holds(DataStatus.RefusedFlow flow) {
    return holds(flow.remote(), flow.localPort());
  }

  private boolean holds(String of, int port) {
    FlowEnd end = FlowEnd.of(of);
    return end.address().equals(remote.address())
        && (remote.port() == 0 || end.port() == remote.port())
        && (localPort == 0 || port == localPort);
  }
}
