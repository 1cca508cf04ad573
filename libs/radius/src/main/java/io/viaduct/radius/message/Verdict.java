package io.viaduct.radius.message;

/// The reader's decision about octets.
public sealed interface Verdict {
  /// A packet, which nothing has authenticated yet.
  ///
  /// @param octets those of the packet, without padding after its length
  record Accepted(RadiusPacket packet, byte[] octets) implements Verdict {}

  /// Octets that are dropped.
  record Refused(Refusal reason) implements Verdict {}
}
