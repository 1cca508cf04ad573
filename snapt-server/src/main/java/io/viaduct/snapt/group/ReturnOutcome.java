package io.viaduct.snapt.group;

/// What has become of the addresses of sessions that were handed over and have ended; each value is
/// a counter.
public enum ReturnOutcome {
  /// The member from which an address came has it back.
  RETURNED,
  /// That member did not answer; it is asked again.
  UNREACHABLE,
  /// That member is not in the configuration any more: the address is forgotten here.
  NO_MEMBER,
  /// A member has returned an address to this SNAPT.
  TAKEN_BACK,
  /// A member has returned an address that this SNAPT has not given to it.
  UNKNOWN
}
