package io.viaduct.tunnel.session;

/// The reason for which the packets of a flow take their path now, for a person.
///
/// @param path id of the path of its last packet; [FlowState#NO_PATH] before the first one
/// @param copyPath id of the second path that its packets take too; [FlowState#NO_PATH] for none
/// @param sinceNs time since which its packets take the path
/// @param rival id of a path that is clearly better, and must stay so for the hold time;
///   [FlowState#NO_PATH] without one
/// @param rivalSinceNs time since which that path is better
/// @param holdNs hold time that a move would need now; 0 for a kind without one
public record PathReason(
    Kind kind, int path, int copyPath, long sinceNs, int rival, long rivalSinceNs, long holdNs) {
  /// The part of the choice that applies.
  public enum Kind {
    /// No packet has left yet.
    UNUSED,
    /// A rule of the device has chosen the path.
    RULE,
    /// A rule of the device allows no path that works.
    FORBIDDEN,
    /// No other path is in use.
    ONLY,
    /// The path with the least delay.
    DELAY,
    /// The path with the least delay of those that carry the class: a nearer one is too slow.
    CARRIES,
    /// The flow stays on its path, which is neither full nor bad.
    RATE,
    /// Its path is full, and the flow may move when its hold time is over and another one is not.
    FULL,
    /// Its path loses 5 % and more, and so does every other one.
    BAD,
    /// The flow fills its path alone, and takes all of them.
    SPREAD
  }
}
