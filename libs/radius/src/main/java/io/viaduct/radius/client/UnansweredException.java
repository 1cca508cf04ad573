package io.viaduct.radius.client;

/// No server has answered a record, or the client is closed.
public final class UnansweredException extends Exception {
  private static final long serialVersionUID = 1L;

  public UnansweredException(String message) {
    super(message);
  }
}
