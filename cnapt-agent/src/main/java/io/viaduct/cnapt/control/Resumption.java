package io.viaduct.cnapt.control;

/// The session that a Hello asks for, and the name it gives to our end of it.
///
/// @param sessionId of the session to resume; empty: a new one
/// @param receiverIndex what datagrams to us carry; a resumed session keeps its own
record Resumption(String sessionId, int receiverIndex) {
  /// Receiver indexes have 24 bits on the wire (docs/protocol.md section 2).
  static final int RECEIVER_INDEX_END = 1 << 24;
}
