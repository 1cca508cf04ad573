package io.viaduct.diameter.peer;

/// Actions of a peer's state machine, with the names of RFC 6733 section 5.6.3.
enum PeerAction {
  I_SND_CONN_REQ,
  R_ACCEPT,
  PROCESS_CER,
  R_SND_CEA,
  I_SND_CER,
  CLEANUP,
  ERROR,
  ELECT,
  I_DISC,
  R_DISC,
  R_REJECT,
  PROCESS,
  PROCESS_CEA,
  PROCESS_DWR,
  SND_DWA,
  PROCESS_DWA,
  SND_DPR,
  SND_DPA
}
