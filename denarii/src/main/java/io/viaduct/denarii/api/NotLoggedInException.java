package io.viaduct.denarii.api;

/// Thrown if there is no log-in to send a request with.
public final class NotLoggedInException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NotLoggedInException(String message) {
    super(message);
  }
}
