package io.viaduct.cnapt.policy;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/// A method to distribute the packets of a flow over the paths.
public enum Method {
  /// One path, of a named link; never another one.
  OWN("own"),
  /// One path: the one with the most spare rate.
  THROUGHPUT("throughput"),
  /// One path: the cheapest one that carries the flow.
  COST("cost"),
  /// Two paths: every packet travels on both.
  ALL("all"),
  /// All usable paths: each packet of a TCP or UDP flow travels on the one where it is expected to
  /// arrive first. A flow of another protocol, and of UDP to a SNAPT that does not number packets
  /// (ADR 0080), takes one path, as with [#THROUGHPUT].
  PACKET("packet"),
  /// One path: the one with the lowest delay.
  LOWEST_DELAY("lowest-delay"),
  /// As [#LOWEST_DELAY], with a copy of every packet on the second path while the first one loses.
  LOWEST_DELAY_COPY("lowest-delay, copy while losing");

  private final String text;

  Method(String text) {
    this.text = text;
  }

  /// Returns the method with this name in the configuration.
  static Optional<Method> named(String text) {
    return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
  }

  /// Returns whether the method chooses by delay.
  boolean followsDelay() {
    return this == ALL || this == LOWEST_DELAY || this == LOWEST_DELAY_COPY;
  }

  static String names() {
    return Arrays.stream(values())
        .map(each -> each == OWN ? "own LINK" : each.text)
        .collect(Collectors.joining(" | "));
  }

  @Override
  public String toString() {
    return text;
  }
}
