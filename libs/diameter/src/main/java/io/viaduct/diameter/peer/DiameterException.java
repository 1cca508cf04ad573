package io.viaduct.diameter.peer;

/// A request got no answer.
public final class DiameterException extends Exception {
  private static final long serialVersionUID = 1L;

  private final DiameterFailure failure;

  public DiameterException(DiameterFailure failure, String message) {
    super(message);
    this.failure = failure;
  }

  public DiameterFailure failure() {
    return failure;
  }
}
