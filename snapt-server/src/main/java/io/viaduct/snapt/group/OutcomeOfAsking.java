package io.viaduct.snapt.group;

/// The results of asking a member for the outcome of a hand-over whose end was not heard; each
/// value is a counter.
public enum OutcomeOfAsking {
  /// The member has the session.
  TAKEN,
  /// The member does not have it, and does not take it by this hand-over.
  NOT_TAKEN,
  /// The member did not answer; it is asked again.
  UNREACHABLE,
  /// The member is not in the configuration any more: the address counts as not taken.
  NO_MEMBER
}
