package io.viaduct.service.storage;

/// An entry was not stored.
public final class QueueException extends Exception {
  private static final long serialVersionUID = 1L;

  public QueueException(String message) {
    super(message);
  }
}
