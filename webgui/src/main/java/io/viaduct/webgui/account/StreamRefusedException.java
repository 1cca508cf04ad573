package io.viaduct.webgui.account;

/// One live page too many; the browser asks again later.
public final class StreamRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StreamRefusedException(String message) {
    super(message);
  }
}
