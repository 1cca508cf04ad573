package io.viaduct.diameter.peer;

/// Events of a peer's state machine, with the names of RFC 6733 section 5.6.2.
enum PeerEvent {
  START,
  R_CONN_CER,
  I_RCV_CONN_ACK,
  I_RCV_CONN_NACK,
  TIMEOUT,
  I_RCV_CEA,
  I_RCV_NON_CEA,
  I_PEER_DISC,
  R_PEER_DISC,
  WIN_ELECTION,
  RCV_MESSAGE,
  RCV_DWR,
  RCV_DWA,
  STOP,
  RCV_DPR,
  RCV_DPA,
  /// A message that no state expects, such as a second CER.
  RCV_OTHER
}
