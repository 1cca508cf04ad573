package io.viaduct.billing.credit;

/// The identity of one session that has quotas: of a device at one SNAPT, or a call of another
/// node.
///
/// @param snapt id of the SNAPT, or `call:` and the Origin-Host of the node: no SNAPT has such an
///   id
/// @param id id of the session, issued by the SNAPT or the node
record SessionKey(String snapt, String id) {
  private static final String CALL = "call:";

  static SessionKey ofCall(String originHost, String id) {
    return new SessionKey(CALL + originHost, id);
  }

  boolean isCall() {
    return snapt.startsWith(CALL);
  }
}
