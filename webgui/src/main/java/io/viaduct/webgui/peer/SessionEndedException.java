package io.viaduct.webgui.peer;

/// Billing no longer accepts the visitor's bearer token: expired, revoked, or unknown after a
/// restart. The visitor logs in again.
public final class SessionEndedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SessionEndedException() {
    super("billing no longer accepts this session's token");
  }
}
