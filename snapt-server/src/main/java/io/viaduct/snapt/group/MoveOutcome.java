package io.viaduct.snapt.group;

/// What has become of the attempts to hand a session over; each value is a counter.
public enum MoveOutcome {
  /// The other SNAPT has the session.
  MOVED,
  /// The other SNAPT has refused; its own counter has the reason.
  REFUSED,
  /// The other SNAPT did not answer in time, or its certificate was not accepted. It has not taken
  /// the session: this is counted when it has said so.
  UNREACHABLE,
  /// The device has left before it could be told.
  DEVICE_LEFT,
  /// No member of the group takes the session: none serves by what the bridge says, or has a
  /// `next-hop6` for its IPv6, or is the owner of its address.
  NO_MEMBER,
  /// The intent could not be written to the disk, so the hand-over was not begun.
  NOT_WRITTEN,
  /// The other SNAPT has the session, but the route to it, or the record, is not set yet: it is
  /// tried again.
  ROUTE_FAILED
}
