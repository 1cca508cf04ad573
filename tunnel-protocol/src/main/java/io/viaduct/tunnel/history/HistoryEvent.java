package io.viaduct.tunnel.history;

/// What happens to histories; each value is one counter of [HistoryMemory].
public enum HistoryEvent {
  SEND_CONTEXT_OPENED,
  RECEIVE_CONTEXT_OPENED,
  /// Unused for long enough.
  CONTEXT_IDLE,
  /// Pushed out by a younger one.
  CONTEXT_EVICTED,
  /// The loop's budget or the session's bound has no room for what a peer sends: it is decoded, and
  /// no epoch will be made of it.
  CONTEXT_REFUSED,
  EPOCH_ANNOUNCED,
  EPOCH_REPEATED,
  EPOCH_ADOPTED,
  /// An announcement that names what this end does not hold, or whose hash differs.
  EPOCH_NOT_REBUILT,
  /// The peer does not hold an epoch that this end has used.
  EPOCH_LOST_AT_PEER,
  /// Nothing was announced for what was sent: the history begins anew.
  HISTORY_RESTARTED
}
