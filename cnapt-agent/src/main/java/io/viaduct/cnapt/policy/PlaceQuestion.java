package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.tunnel.flow.FlowTuple;
import java.net.InetAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// The question for the SNAPT of a flow, as `cnapt policy test` asks it at the agent's Unix socket.
///
/// @param flow its device address need not be one of the TUN
/// @param application its name, and the class of the flow's first packet
public record PlaceQuestion(FlowTuple flow, Application application) {
  /// Path of the question.
  public static final String PATH = "/place";

  private static final int PROTOCOL_MAX = 255;

  /// Reads the parameters of a request.
  ///
  /// @throws IllegalArgumentException naming the parameter and its form
  public static PlaceQuestion of(Map<String, String> parameters) {
    String protocol = parameters.getOrDefault("protocol", "");
    int number = protocol.matches("\\d{1,3}") ? Integer.parseInt(protocol) : PROTOCOL_MAX + 1;
    if (number > PROTOCOL_MAX) {
      throw new IllegalArgumentException(
          "protocol must be a number from 0 to 255, got '" + protocol + "'");
    }
    FlowEnd local = FlowEnd.of(parameters.getOrDefault("local", ""));
    FlowEnd remote = FlowEnd.of(parameters.getOrDefault("remote", ""));
    if (bytes(local.address()).length != bytes(remote.address()).length) {
      throw new IllegalArgumentException(
          "local and remote must be of one address family, got %s and %s"
              .formatted(parameters.get("local"), parameters.get("remote")));
    }
    return new PlaceQuestion(
        FlowTuple.of(
            number, bytes(local.address()), bytes(remote.address()), local.port(), remote.port()),
        new Application(
            0,
            parameters.getOrDefault("application", ""),
            ClassName.of(parameters.getOrDefault("class", "")).value()));
  }

  private static byte[] bytes(InetAddress address) {
    return address.getAddress();
  }

  /// Returns the path and the parameters of the question for a flow.
  public static String query(FlowQuestion asked) {
    FlowFacts facts = asked.facts();
    return "%s?protocol=%d&local=%s&remote=%s&application=%s&class=%s"
        .formatted(
            PATH,
            facts.flow().protocol(),
            encoded(FlowEnd.text(asked.local(), facts.flow().localPort())),
            encoded(FlowEnd.text(facts.remote(), facts.flow().remotePort())),
            encoded(facts.application().name()),
            asked.first());
  }

  private static String encoded(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }
}
