package io.viaduct.diameter.peer;

/// States of a peer (RFC 6733 section 5.6). I is the connection that we opened, R the one that the
/// peer opened.
enum PeerState {
  CLOSED,
  WAIT_CONN_ACK,
  WAIT_I_CEA,
  WAIT_CONN_ACK_ELECT,
  WAIT_RETURNS,
  R_OPEN,
  I_OPEN,
  CLOSING;

  boolean isOpen() {
    return this == R_OPEN || this == I_OPEN;
  }

  /// Returns true if the state ends by the event TIMEOUT when nothing happens.
  boolean isTimed() {
    return this != CLOSED && !isOpen();
  }
}
