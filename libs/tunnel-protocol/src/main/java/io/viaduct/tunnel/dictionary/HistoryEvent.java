package io.viaduct.tunnel.dictionary;

/// Event of a history; each value is one counter of [HistoryMemory].
public enum HistoryEvent {
  SEND_CONTEXT_OPENED,
  RECEIVE_CONTEXT_OPENED,
  /// A context was closed because it was not used for long enough.
  CONTEXT_IDLE,
  /// A context was closed to make room for a younger one.
  CONTEXT_EVICTED,
  /// The loop's budget or the session's bound has no room for the peer's block. The block is
  /// decoded, but it enters no epoch.
  CONTEXT_REFUSED,
  EPOCH_ANNOUNCED,
  EPOCH_REPEATED,
  EPOCH_ADOPTED,
  /// An announcement names blocks that this end does not hold, or its hash differs.
  EPOCH_NOT_REBUILT,
  /// An epoch was not used so long after its announcement that the peer may have forgotten it.
  EPOCH_STALE,
  /// The peer does not hold an epoch that this end has used.
  EPOCH_LOST_AT_PEER,
  /// The history begins anew, because the peer announced no epoch of the sent blocks.
  HISTORY_RESTARTED
}
